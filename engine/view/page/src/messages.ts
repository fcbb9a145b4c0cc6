// What a seat in the browser and the server of a hosted game say to each other.

import type { Triple } from "./data";
import type { SceneParts } from "./props";

export type Pose = [x: number, y: number, z: number, qx: number, qy: number, qz: number, qw: number];

// -- orders: to the server ------------------------------------------------------------------------------------------

export type Order =
  | { type: "hello"; secret: string; token?: string }
  | { type: "sit"; seat: string }
  | { type: "stand_up" }
  | { type: "choose"; turn: number; choice: number }
  | { type: "aim"; pose: number[]; number: number }
  | { type: "lay"; gap: number | null }
  | { type: "let_go" | "undo" | "pull_out" | "offer_places" | "coach" | "clear" }
  | { type: "bring"; model: string }
  | { type: "push"; piece: string; newtons: number; towards: number }
  | { type: "tilt"; degrees: number; towards: number }
  | { type: "fetch"; piece: string }
  | { type: "chat"; text: string }
  | { type: "ping"; number: number }
  | { type: "to_bot"; seat: string; style: string }
  | { type: "to_person"; seat: string }
  | { type: "speed"; factor: number }
  | { type: "pause"; is_paused: boolean }
  | { type: "mute"; name: string; is_muted: boolean }
  | { type: "send_away"; name: string };

// -- news: from the server ------------------------------------------------------------------------------------------

export interface Welcome {
  type: "welcome";
  protocol: number;
  role: "host" | "seat" | "spectator";
  game: string;
  title: string;
  seat: string;
  token: string;
  catalogue?: { model: string; label: string }[];
}
export interface SeatRow {
  name: string;
  members: string[];
  state: "free" | "here" | "away" | "bot";
  style: string;
  colour: string;
  muted: boolean;
}
// Who is there and sits nowhere; told to the host.
export interface Guest {
  name: string;
  role: "seat" | "spectator";
  muted: boolean;
}
// picture: a name; the picture itself comes on its own, later or never.
export interface Choice {
  choice: number;
  label: string;
  sentence: string;
  group: string;
  piece: string;
  picture: string;
}
export interface Card {
  label: string;
  sentence: string;
  picture: string;
  choice: number; // that plays it; -1 for none
}
export interface Stroke {
  points: Triple[];
  colour: string;
  radius: number;
  cover: number;
}
export interface Turn {
  type: "turn";
  turn: number;
  wait: "action" | "hand" | "pull" | "rest" | "count" | "answer" | "over";
  who: string;
  mine: boolean;
  ask: string;
  choices: Choice[];
  can_undo: boolean;
  scores: { seat: string; value: string | number; on_turn: boolean }[];
  score_word: string;
  facts: string[];
  cards: Card[];
  conditions?: string[]; // how the piece has to lie
  lines?: Stroke[]; // drawn on the table
  lit?: string[]; // the pieces that everything is about now
}
export interface TableNews {
  type: "table";
  step: number;
  rate: number;
  shown: number[];
  held: number;
  force: number;
  left_s: number | null;
  mine: boolean;
  number: number;
}
export interface Landing {
  type: "landing";
  number: number;
  pose: Pose | null;
  verdict: "free" | "nothing";
  clause: string;
  sentence: string;
}
export interface Coached {
  type: "coached";
  number: number; // of the aim; -1 before the first
  verdict: "stands" | "topples" | "unsure" | "forbidden";
  sentence: string;
}
export interface Over {
  type: "over";
  winners: string[];
  reason: string;
  clause: string;
  result: string;
}
export type News =
  | Welcome
  | { type: "seats"; seats: SeatRow[] }
  | { type: "guests"; guests: Guest[] }
  | { type: "bodies"; first: number; scene: SceneParts; blob: string }
  | TableNews
  | Turn
  | { type: "pictures"; pictures: Record<string, string> }
  | { type: "story"; lines: string[] }
  | Landing
  | Coached
  | { type: "places"; poses: Pose[] }
  | { type: "refused"; clause: string; sentence: string }
  | { type: "busy"; why: string; share: number }
  | { type: "pointed"; piece: string; pose: Pose }
  | { type: "chat"; who: string; text: string }
  | { type: "away"; seat: string; seconds_left: number }
  | Over
  | { type: "broken"; why: string }
  | { type: "pong"; number: number };
