// What a hand knows of the table over which it is.

import type { Desk } from "./desk";
import type { Line } from "./line";
import type { Live } from "./live";
import type { Loop } from "./loop";
import type { Outlook } from "./outlook";
import type { Order } from "./protocol";
import type { Stage } from "./stage";

export interface Table {
  readonly stage: Stage;
  readonly live: Live;
  readonly desk: Desk;
  readonly outlook: Outlook;
  readonly isSandbox: boolean;
  readonly isPaused: boolean;
  readonly line: Line;
  readonly loop: Loop;
  send(order: Order): boolean;
  // Whether a press at a place of the picture takes a piece; takes it.
  takes(x: number, y: number, isTouch: boolean, isMeant: boolean): boolean;
  tap(x: number, y: number, isTouch: boolean): void;
  hover(x: number, y: number): void;
}
