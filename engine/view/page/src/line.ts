// The line to the server. It comes back by itself when it is lost, to the seat that one had.

import { NARROW } from "./dom";
import type { News, Order } from "./protocol";

const WAITS_S = [0.5, 1, 2, 4, 5]; // before the next try
const PING_S = 4;
const SILENCE_S = 12; // without a word from the server, which answers pings: the line is dead
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
  private readonly sent = new Map<number, number>();
  private ping = 0;
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

  send(order: Order): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(order));
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
    this.heard = performance.now();
    socket.onopen = () => {
      const token = tokens.own();
      const is_narrow = matchMedia(NARROW).matches;
      this.send({ type: "hello", secret: this.secret, is_narrow, ...(token ? { token } : {}) });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      this.heard = performance.now();
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
      const begun = this.sent.get(news.number);
      if (begun !== undefined) this.roundTrip = (performance.now() - begun) / 1000;
      this.sent.clear();
    }
    await this.hear(news);
    if (news.type === "welcome") this.changed();
  }

  private watch(): void {
    if (this.state !== "open") return;
    const now = performance.now();
    if (now - this.heard > 1000 * SILENCE_S) {
      this.socket?.close();
      return;
    }
    this.sent.set(++this.ping, now);
    this.send({ type: "ping", number: this.ping });
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
