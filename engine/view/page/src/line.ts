// The line to the server. It comes back by itself when it is lost, to the seat that one had.

import { NARROW } from "./dom";
import type { News, Order } from "./protocol";

const WAITS_S = [0.5, 1, 2, 4, 5]; // before the next try
const PING_S = 1;
// Without a word from the server, which answers pings: the line is as good as lost, and then it is opened
// anew. A busy host answers within two seconds.
const SILENCE_S = 2.8,
  DEAD_S = 12;
const STOPPED = 1001; // the code of a host that ends
const FINAL = [1008, 4001, 4004]; // codes of closing after which to come back is no use: wrong secret, taken over, sent away

export class Line {
  state: "opening" | "open" | "lost" | "ended" = "opening";
  why = ""; // it was closed
  hasStopped = false; // the host
  lostAt = 0; // milliseconds, as clocks have it
  roundTrip = 0.1; // seconds
  private socket: WebSocket | null = null;
  private tries = 0;
  private heard = 0;
  private again = 0;
  private ping = 0;
  private pinged = 0; // when that was sent; 0 once it is answered
  private watched = 0;
  private isSilent = false; // lost for want of an answer: a word brings it back
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly secret: string,
    private readonly hear: (news: News) => void | Promise<void>,
    private readonly move: (rows: DataView) => void,
    private readonly changed: () => void,
  ) {
    this.open();
    setInterval(() => this.watch(), 1000 * PING_S);
    // a phone that was asleep comes back at once
    for (const [on, name] of [
      [window, "online"],
      [document, "visibilitychange"],
    ] as const)
      on.addEventListener(name, () => {
        if (this.state === "lost" && document.visibilityState === "visible") this.open();
      });
  }

  // Returns whether it was sent: what is wanted while the line is lost would come when nobody wants it any more.
  send(order: Order): boolean {
    if (this.state !== "open") return false;
    this.post(order);
    return true;
  }

  private post(order: Order): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(order));
  }

  // Milliseconds for which nothing has come although something was asked.
  get silence(): number {
    return this.pinged && performance.now() - Math.max(this.pinged, this.heard);
  }

  private open(): void {
    clearTimeout(this.again);
    this.socket?.close();
    const address = new URL("table", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    // shown at the door, a secret keeps a place before those who have none
    const shown = [this.secret, tokens.own()].filter((each) => /^[\w-]+$/.test(each));
    const socket = new WebSocket(address, ["teeter", ...new Set(shown)]);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    [this.heard, this.pinged, this.isSilent] = [performance.now(), 0, false];
    socket.onopen = () => {
      const token = tokens.own();
      const is_narrow = matchMedia(NARROW).matches;
      this.post({ type: "hello", secret: this.secret, is_narrow, ...(token ? { token } : {}) });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      this.heard = performance.now();
      if (this.isSilent) {
        [this.isSilent, this.state] = [false, "open"];
        this.changed();
      }
      // one after the other: poses of bodies that are still unpacked have to wait
      this.queue = this.queue
        .then(() => (this.socket === socket ? this.take(event.data) : undefined))
        .catch((error: unknown) => console.error(error));
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      const isFinal = FINAL.includes(event.code),
        isNew = this.state !== "lost";
      if (isNew) this.lostAt = Date.now();
      // a try that comes to nothing says nothing new
      if (isNew || event.reason) [this.why, this.hasStopped] = [event.reason, event.code === STOPPED];
      this.state = isFinal ? "ended" : "lost";
      if (!isFinal)
        this.again = window.setTimeout(
          () => this.open(),
          1000 * WAITS_S[Math.min(this.tries++, WAITS_S.length - 1)],
        );
      this.changed();
    };
  }

  private async take(data: string | ArrayBuffer): Promise<void> {
    if (typeof data !== "string") {
      this.move(new DataView(data));
      return;
    }
    const news = JSON.parse(data) as News;
    if (news.type === "welcome") {
      this.state = "open";
      this.tries = 0;
      if (news.token) tokens.keep(news.seat, news.token);
      else tokens.forget();
      this.watch();
    } else if (news.type === "pong") {
      if (news.number === this.ping) {
        this.roundTrip = (performance.now() - this.pinged) / 1000;
        this.pinged = 0;
      }
    }
    await this.hear(news);
    if (news.type === "welcome") this.changed();
  }

  private watch(): void {
    const now = performance.now(),
      // a page that was busy itself has not looked at what came meanwhile
      isLate = now - this.watched > 2000 * PING_S;
    this.watched = now;
    if (this.state !== "open" && !this.isSilent) return;
    const silence = isLate ? 0 : this.silence;
    if (silence > 1000 * DEAD_S) this.socket?.close();
    else if (this.isSilent) return;
    else if (silence > 1000 * SILENCE_S) {
      [this.isSilent, this.state] = [true, "lost"];
      [this.why, this.hasStopped, this.lostAt] = ["", false, Date.now()];
      this.changed();
    } else if (!this.pinged || now - this.pinged > 1000 * SILENCE_S) {
      this.pinged = now;
      this.post({ type: "ping", number: ++this.ping });
    }
  }
}

// What proves that a seat is one's own. A tab has one; a tab that was closed finds it again by the name of the seat.
export const tokens = {
  own(): string {
    return read(() => sessionStorage)?.[this.key()] ?? "";
  },
  keep(seat: string, token: string): void {
    write(() => sessionStorage, this.key(), token);
    write(() => localStorage, this.key(seat), token);
  },
  of(seat: string): string {
    return read(() => localStorage)?.[this.key(seat)] ?? "";
  },
  take(seat: string): void {
    write(() => sessionStorage, this.key(), this.of(seat));
  },
  // It opens no seat any more.
  forget(): void {
    const own = this.own();
    for (const [key, kept] of Object.entries(read(() => localStorage) ?? {}))
      if (kept === own) write(() => localStorage, key, "");
    write(() => sessionStorage, this.key(), "");
  },
  key(seat = ""): string {
    return `teeter ${location.hash.slice(1)} ${seat}`;
  },
};

// Browsers may forbid to keep anything, by throwing.
function read(storage: () => Storage): Record<string, string> | undefined {
  try {
    return { ...storage() } as Record<string, string>;
  } catch {
    return undefined;
  }
}
function write(storage: () => Storage, key: string, value: string): void {
  try {
    storage().setItem(key, value);
  } catch {
    // it is only for coming back
  }
}
