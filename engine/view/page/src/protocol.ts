// What a seat in the browser and the server of a hosted game say to each other, the keys, how a hand goes.
// Made by `make page` of games/server (protocol.py, news.py, follower.py) and games/present/settings.toml.

import type { Triple } from "./data";
import type { SceneParts } from "./props";

export type Pose = number[]; // x, y, z in metres and the quaternion x, y, z, w
export interface AimAt {type: "aim"; pose: [number, number, number, number, number, number, number]; number: number;}
export interface Chat {type: "chat"; text: string;}
export interface Choose {type: "choose"; turn: number; choice: number;}
export interface Feel {type: "feel"; piece: string;}
export interface HandAct {right?: [number, number]; type: "hand"; name: "left" | "right" | "far" | "near" | "turn_left" | "turn_right" | "lift" | "lower" | "flip" | "tilt" | "places" | "nearest" | "tap" | "pull_out" | "let_go" | "rest" | "lay"; number: number; is_fine?: boolean;}
export interface Hello {type: "hello"; secret: string; seat?: string | null; token?: string | null; is_narrow?: boolean;}
export interface MoveSlider {right?: [number, number]; type: "slide"; name: string; value: number;}
export interface MuteGuest {type: "mute"; name: string; is_muted: boolean;}
export interface Pause {is_paused: boolean; type: "pause";}
export interface Ping {type: "ping"; number: number;}
export interface PointAt {right?: [number, number]; type: "point"; origin: [number, number, number]; direction: [number, number, number]; at: [number, number]; number: number; is_fine?: boolean;}
export interface PressButton {right?: [number, number]; type: "press"; name: string;}
export interface SendAway {type: "send_away"; name: string;}
export interface SetSpeed {factor: number; type: "speed";}
export interface Shift {right?: [number, number]; type: "shift"; by: [number, number]; number: number; is_free?: boolean;}
export interface Sit {type: "sit"; seat: string;}
export interface Spin {type: "spin"; degrees: number; number: number;}
export interface StandUp {type: "stand_up";}
export interface ToBot {type: "to_bot"; seat: string; style: string;}
export interface ToPerson {type: "to_person"; seat: string;}
export interface Undo {type: "undo";}
export interface Watch {type: "go_on" | "watch_again";}
export type Order = Hello | PressButton | MoveSlider | Sit | StandUp | Watch | Choose | AimAt | PointAt | Shift | Spin | HandAct | Undo | Feel | Chat | Ping | ToBot | ToPerson | SetSpeed | Pause | MuteGuest | SendAway;
export interface Away {type: "away"; seat: string; seconds_left: number;}
export interface Bodies {type: "bodies"; first: number; scene: SceneParts; blob: string;}
export interface BrokenNews {type: "broken"; why: string;}
export interface BusyNews {type: "busy"; why: string; share: number;}
export interface Button {kind: "button"; name: string; text: string; tone?: "plain" | "quiet" | "good" | "warn" | "bad" | "accent"; is_on?: boolean; is_lit?: boolean; is_enabled?: boolean; has_why?: boolean; key?: string; mark?: string; text2?: string; image?: string;}
export interface ChatLine {type: "chat"; who: string; text: string;}
export interface ChoiceRow {choice: number; sentence: string; group: string; piece: string;}
export interface Coached {type: "coached"; number: number; verdict: "stands" | "topples" | "unsure" | "forbidden"; is_first: boolean; place: (number)[] | null;}
export interface FallNews {type: "fall"; state: "" | "falls" | "wreck"; eye: (number)[]; target: (number)[]; fov: number; told: string;}
export interface Fan {kind: "fan"; cards: (FanCard)[]; width?: number; height?: number;}
export interface FanCard {name: string; image: string; is_enabled?: boolean; is_lit?: boolean; key?: string;}
export interface FeltNews {type: "felt"; piece: string; sentence: string; pieces: Record<string, "stands" | "topples" | "unsure" | "forbidden">; may: boolean;}
export interface Field {kind: "field"; name: string; label: string; text: string; is_active?: boolean;}
export interface FrameNews {type: "frame"; tower: (number)[]; others: (number)[]; home: (number)[];}
export interface Gap {kind: "gap"; height?: number;}
export interface Landing {type: "landing"; number: number; goal: (number)[]; pose: (number)[] | null; low: number; turned: number; place: string; slots: ((number)[])[]; rail: [number, number, number] | null;}
export interface Meter {kind: "meter"; part: number; tone?: "plain" | "quiet" | "good" | "warn" | "bad" | "accent";}
export interface Panel {name: string; place: "top-left" | "top" | "top-right" | "left" | "right" | "bottom-left" | "bottom" | "bottom-right" | "centre" | "toast" | "dialog" | "cover"; items: (Text | Button | Slider | Field | Meter | Picture | Fan | Gap | Row)[]; title?: string; width?: number; is_bare?: boolean; tallest?: number; mark?: string; at?: [number, number]; keep_off?: [number, number, number, number];}
export interface PanelNews {type: "panel"; order: number; panel: Panel;}
export interface Picture {kind: "picture"; image: string; width: number; height: number;}
export interface PictureNews {type: "pictures"; pictures: Record<string, string>;}
export interface PointedNews {type: "pointed"; piece: string; pose: (number)[];}
export interface Pong {type: "pong"; number: number;}
export interface Refusal {type: "refused"; clause: string; sentence: string;}
export interface Row {kind: "row"; items: (Text | Button | Slider | Field | Meter | Picture | Fan | Gap | Row)[]; shares?: (number)[];}
export interface SavedNews {type: "saved"; name: string; base64: string;}
export interface Slider {kind: "slider"; name: string; text: string; value: number; low?: number; high?: number; shown?: string; marks?: (number)[]; is_coins?: boolean; steps?: number; is_lit?: boolean;}
export interface Story {type: "story"; lines: (string)[];}
export interface Stroke {points: Triple[]; colour: string; radius: number; cover: number;}
export interface TableNews {type: "table"; step: number; rate: number; shown: (number)[]; held: number; force: number; left_s: number | null; mine: boolean; number: number; lean: [number, number]; is_paused: boolean; speed: number;}
export interface Text {kind: "text"; text: string; tone?: "plain" | "quiet" | "good" | "warn" | "bad" | "accent"; size?: "small" | "normal" | "large" | "title" | "huge"; bold?: boolean; mark?: string;}
export interface Turn {type: "turn"; turn: number; wait: "action" | "hand" | "pull" | "rest" | "count" | "answer" | "over"; who: string; mine: boolean; choices: (ChoiceRow)[]; can_undo: boolean; lines: (Stroke)[]; lit: (string)[];}
export interface Welcome {type: "welcome"; protocol: number; role: "host" | "seat" | "spectator" | null; game: string; title: string; seat: string; token: string; is_free_building: boolean;}
export type News = Welcome | PanelNews | Bodies | TableNews | Turn | PictureNews | Story | Landing | Coached | FeltNews | FrameNews | Refusal | BusyNews | FallNews | PointedNews | SavedNews | ChatLine | Away | BrokenNews | Pong;
export const KEYS: Record<string, string> = {"enter": "choose", "tab": "next", "space": "lay", "r": "let_go", "a": "turn_left", "d": "turn_right", "f": "flip", "i": "tilt", "p": "places", "n": "nearest", "e": "lift", "q": "lower", "arrow_left": "left", "arrow_right": "right", "arrow_up": "far", "arrow_down": "near", "shift": "fine", "control": "free", "u": "undo", "backspace": "undo", "g": "ghost", "h": "hint", "w": "feel", "t": "tap", "o": "pull_out", "c": "view", "v": "follow", "home": "home", "page_up": "closer", "=": "closer", "page_down": "further", "-": "further", "f1": "help", "f12": "picture", "k": "check", "b": "hurry", "f11": "full", "s": "scan", "l": "panels", "escape": "menu"};
export const ACTS: Record<string, string> = {"choose": "Take the lit choice (Enter)", "next": "Next choice or piece (Tab)", "lay": "Lower the held piece and let go (Space)", "let_go": "Let go where it is (R)", "turn_left": "Turn left (A)", "turn_right": "Turn right (D)", "flip": "Flip to the next face (F)", "tilt": "Tilt, away from you (I)", "places": "Go through the places where it may be laid (P)", "nearest": "Carry it to the place that the coach points to (N)", "lift": "Lift (E)", "lower": "Lower (Q)", "left": "Hand or camera to the left (left arrow)", "right": "Hand or camera to the right (right arrow)", "far": "Away from you (up arrow)", "near": "Towards you (down arrow)", "fine": "Slower, while it is held (Shift)", "free": "Turn, or draw a brick, freely; put away a piece that is clicked (Ctrl)", "undo": "Undo (U)", "ghost": "Show where it would rest (G)", "hint": "Say what the checker thinks (H)", "feel": "Feel a piece: what lies on it, how hard it is to move (W)", "tap": "Tap a brick that is being pulled (T)", "pull_out": "Draw a brick out, as a steady hand does (O)", "view": "Next view (C)", "follow": "Follow the hand (V)", "home": "Bring piece and view back (home)", "closer": "Come nearer (PgUp)", "further": "Go further away (PgDn)", "help": "This list (F1)", "picture": "Keep a picture (F12)", "check": "Check what stands (sandbox) (K)", "hurry": "Bots twice as fast, at once, as they are (B)", "full": "Full screen (F11)", "scan": "One-button play (S)", "panels": "Go through buttons and sliders, by arrows and Enter; Esc ends it (L)", "menu": "Pause; back (Esc)"};
export const SPEED = 0.6;
export const TURNING = 5.0;
export const LAG = 0.05;
export const RISE_FIRST = 0.0015;
export const NUDGE = 0.005;
export const MAGNET = 0.012;
export const STEP = 15.0;
export const FINE = 0.2;
