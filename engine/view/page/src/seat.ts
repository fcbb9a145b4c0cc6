// A seat at a hosted table, or a place to look on: the line, the table, the hand and the desk, joined.

import { bytesOf, Numbers, type Triple } from "./data";
import { Deeds } from "./deeds";
import { download } from "./dom";
import { Fall } from "./fall";
import { Desk } from "./desk";
import { Fingers } from "./fingers";
import { picked } from "./pick";
import { INKS, spots, Strokes } from "./guides";
import { poseOf } from "./grip";
import { Hand } from "./hand";
import { Knocks } from "./knocks";
import { Line } from "./line";
import { Live } from "./live";
import { Loop } from "./loop";
import type { ChoiceRow, FeltNews, News, Order, Pose, TableNews, Turn, Welcome } from "./protocol";
import { Outlook } from "./outlook";
import type { Stage } from "./stage";
import type { Table } from "./table";

const REACH = 0.012; // metres beside a small piece that a finger may be
const LONG_MS = 60_000; // without a line, after which it is said since when
const HOVERED = [0.95, 0.76, 0.31, 1];
const LIT = [0.88, 0.48, 0.18, 1];
const POINTED = [0.17, 0.48, 0.73, 0.6];

export class Seat implements Table {
  readonly loop: Loop;
  readonly line: Line;
  readonly live = new Live();
  readonly desk: Desk;
  readonly hand: Hand;
  readonly deeds = new Deeds(this);
  welcome: Welcome | null = null;
  turn: Turn | null = null;
  table: TableNews | null = null;
  busy = "";
  private readonly names: string[] = []; // of bodies
  private readonly numbers = new Map<string, number>(); // the body that a name means now
  readonly outlook: Outlook;
  readonly fall: Fall;
  readonly knocks: Knocks;
  private first = 0; // the number here of the server's first body
  private isGreeted = false; // the story so far was told
  private pointed: { body: number; pose: Pose } | null = null;
  private over = -1; // the body below the pointer
  lit = ""; // the piece that was tapped
  private felt: FeltNews | null = null;
  isFeeling = false; // a tap feels a piece, and takes none
  isSandbox = false;
  private readonly strokes = new Strokes();
  private clock: { left: number; since: number } | null = null;

  constructor(
    readonly stage: Stage,
    root: HTMLElement,
  ) {
    this.desk = new Desk(root, this.deeds);
    this.outlook = new Outlook(
      stage.canvas,
      () => this.desk.clear,
      () => !!this.hand.grip || !!(this.turn?.mine && this.turn.choices.some((each) => each.piece)),
      () => this.loop?.touch(),
    );
    this.fall = new Fall(stage.canvas, this.desk.root, (isSteady) => this.loop.steady(isSteady));
    this.hand = new Hand(this);
    this.knocks = new Knocks((place) => stage.across(place, this.outlook.camera));
    new Fingers(stage.canvas, this.outlook.orbit, this.hand);
    for (const name of ["keydown", "keyup"] as const)
      addEventListener(name, (event) => this.deeds.key(event));
    this.loop = new Loop(
      stage.canvas,
      (elapsed) => this.step(elapsed),
      () => this.draw(),
    );
    this.line = new Line(
      location.hash.slice(1),
      (news) => this.hear(news),
      (rows) => this.move(rows),
      () => this.tellLine(),
    );
    // another link in the same window is another line
    addEventListener("hashchange", () => location.reload());
  }

  // -- what the server says -----------------------------------------------------------------------------------------

  private async hear(news: News): Promise<void> {
    const { desk, hand, stage } = this;
    switch (news.type) {
      case "welcome":
        this.welcome = news;
        this.isSandbox = news.is_free_building;
        this.turn = null;
        this.isGreeted = false;
        desk.panels.forget();
        // a fall that went by while the line was lost is over
        this.fall.hear(null);
        desk.greet(news);
        break;
      case "panel":
        desk.panels.show(news);
        break;
      case "bodies":
        await this.add(news);
        break;
      case "table":
        this.take(news);
        break;
      case "turn":
        if (!news.mine || news.turn !== this.turn?.turn) this.felt = null;
        [this.turn, this.busy, this.lit, this.over] = [news, "", "", -1];
        this.strokes.keep(stage, news.lines ?? []);
        if (this.table) hand.follow(this.table, news);
        this.tellTurn();
        break;
      case "busy":
        [this.busy, this.pointed] = [news.why, null];
        this.tellTurn();
        break;
      case "story":
        if (this.isGreeted) desk.toast(news.lines.findLast((line) => !line.startsWith("- ")) ?? "");
        desk.tell(news.lines, !this.isGreeted);
        this.isGreeted = true;
        break;
      case "pictures":
        desk.pictures.keep(news.pictures);
        break;
      case "landing":
        if (this.table) this.table.number = Math.max(this.table.number, news.number);
        hand.hear(news);
        break;
      case "coached":
        hand.hear(news);
        break;
      case "frame":
        this.outlook.show(news.tower.length ? news : null);
        break;
      case "felt":
        this.felt = news;
        this.tellTurn();
        break;
      case "refused":
        desk.refuse(news.clause, news.sentence);
        this.busy = "";
        hand.again();
        this.tellTurn();
        break;
      case "fall":
        this.fall.hear(news);
        break;
      case "pointed":
        this.pointed = { body: this.numbers.get(news.piece) ?? -1, pose: news.pose };
        break;
      case "saved":
        download(news.name, new Blob([bytesOf(news.base64)]));
        break;
      case "chat":
        desk.say(news.who, news.text);
        if (news.who !== this.welcome?.seat) desk.toast(news.who ? `${news.who}: ${news.text}` : news.text);
        break;
      case "away": {
        const { seat, seconds_left: left } = news,
          kept = `the seat is kept for ${seat} for ${Math.ceil(left / 60)} min`;
        desk.toast(left > 0 ? `${seat} has lost the line; ${kept}` : `${seat} has not come back`);
        break;
      }
      case "broken":
        desk.lose(`The game cannot go on. ${news.why}`);
        break;
    }
    desk.focus.keep();
    this.loop.touch();
  }

  private async add({ first, scene, blob }: Extract<News, { type: "bodies" }>): Promise<void> {
    const { props } = this.stage;
    if (first === 0) {
      // the whole table: the first time, or after the line was lost
      this.first = props.bodies.length;
      this.live.forget();
    }
    await this.stage.add(scene, await Numbers.of(blob));
    this.live.grow(props.bodies.length);
    scene.bodies.forEach((body, n) => {
      this.names[this.first + first + n] = body.name;
      this.numbers.set(body.name, this.first + first + n);
    });
  }

  private take(news: TableNews): void {
    const here = (n: number): number => (n < 0 ? -1 : n + this.first);
    const hadTable = this.table !== null;
    this.table = { ...news, shown: news.shown.map(here), held: here(news.held) };
    this.live.show(this.table.shown);
    this.desk.run(news.is_paused, news.speed);
    const [degrees, way] = news.lean;
    this.outlook.tilts = [Math.cos, Math.sin].map((turn) => degrees * turn((way * Math.PI) / 180));
    if (this.stage.props.table >= 0)
      this.outlook.pivot = poseOf(this.live.truth, this.stage.props.table).slice(0, 3) as Triple;
    this.clock = news.left_s === null ? null : { left: news.left_s, since: performance.now() };
    this.hand.follow(this.table, this.turn);
    if (!hadTable) this.tellTurn();
  }

  private move(rows: DataView): void {
    const moved = this.live.take(rows, performance.now(), this.first);
    this.knocks.hear(this.live, moved, this.stage.props, this.table?.held ?? -1, this.table?.rate ?? 240);
    this.loop.touch();
    if (this.table && !this.hand.grip) this.hand.follow(this.table, this.turn);
  }

  private tellLine(): void {
    const { state, why, hasStopped, lostAt } = this.line,
      said = why && why[0].toUpperCase() + why.slice(1),
      isLong = Date.now() - lostAt > LONG_MS,
      since = new Date(lostAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    if (state === "lost" && hasStopped) this.desk.lose("The host has stopped the game.");
    else if (state === "lost")
      this.desk.lose(`${said || "Line lost"}${isLong ? `; trying since ${since}` : ", coming back"} ...`);
    else if (state === "ended") this.desk.lose(said || "This link is not good (any more): ask the host.");
    else this.desk.lose("");
    this.hand.again();
    this.tellTurn();
  }

  // -- what is shown of it ------------------------------------------------------------------------------------------

  get isPaused(): boolean {
    return this.table?.is_paused ?? false;
  }

  private get choices(): ChoiceRow[] {
    return this.turn?.mine && !this.busy && this.line.state === "open" ? this.turn.choices : [];
  }

  private tellTurn(): void {
    this.desk.wait(Boolean(this.busy), Boolean(this.turn?.mine), Boolean(this.turn?.can_undo) && !this.busy);
    this.desk.showFeel(this.canFeel, this.isFeeling);
  }

  private step(elapsed: number): boolean {
    const now = performance.now();
    const moves = this.live.follow(now),
      handMoves = this.hand.step(elapsed, now);
    const gone = this.clock && !this.isPaused ? (now - this.clock.since) / 1000 : 0;
    this.desk.showClock(this.clock ? this.clock.left - gone : null);
    const held = this.hand.grip && this.hand.drawn,
      goesBack = held && this.outlook.keep(held.slice(0, 3) as Triple, elapsed);
    const glides = this.fall.step(elapsed, this.outlook.camera),
      turns = !this.fall.state && this.outlook.step(elapsed);
    return moves || handMoves || glides || turns || Boolean(goesBack);
  }

  private draw(): void {
    if (!this.stage.props.bodies.length) return;
    const { hand, stage } = this,
      marks = new Map<number, number[]>(),
      lit = this.numbers.get(this.lit);
    if (this.over >= 0) marks.set(this.over, HOVERED);
    if (lit !== undefined) marks.set(lit, LIT);
    if (hand.grip) marks.set(hand.grip.body, hand.ink);
    for (const name of this.turn?.lit ?? []) if (!hand.grip) marks.set(this.numbers.get(name) ?? -1, LIT);
    const felt = this.canFeel ? Object.entries(this.felt!.pieces) : [],
      overlays = [...this.strokes.overlays, ...hand.guides()];
    for (const [name, word] of felt) {
      const body = this.numberOf(name);
      if (body >= 0) overlays.push(...spots(stage, body, poseOf(this.live.poses, body), INKS[word]));
    }

    if (this.pointed && this.pointed.body >= 0)
      overlays.push({
        model: stage.modelOf(this.pointed.body),
        ink: POINTED,
        pose: this.pointed.pose,
        glass: 1,
      });
    this.tag();
    stage.draw({
      camera: this.fall.camera(this.outlook.camera),
      lean: this.outlook.lean,
      poses: hand.posed(this.live.poses),
      seen: this.live.seen,
      marks,
      overlays,
    });
  }

  // What is said at a piece: the force that draws it, or what a finger feels there.
  private tag(): void {
    const { hand, felt, outlook } = this,
      { canvas } = this.stage,
      isFelt = this.canFeel && felt!.sentence;
    const body = hand.holds === "pull" ? hand.grip!.body : isFelt ? this.numberOf(felt!.piece) : -1,
      said = hand.holds === "pull" ? hand.pull : isFelt ? felt!.sentence : "",
      at = body < 0 ? null : outlook.seen(poseOf(this.live.poses, body).slice(0, 3) as Triple);
    this.desk.tag(at ? said : "", at ?? [0, 0], [canvas.clientWidth, canvas.clientHeight]);
  }

  private get canFeel(): boolean {
    return !!this.felt?.may && this.choices.length > 0;
  }

  // Whether something is under the pointer that can be felt, or a tap feels from now on.
  feel(): void {
    if (this.over >= 0) this.touchPiece(this.over);
    else this.isFeeling = !this.isFeeling;
    this.tellTurn();
  }

  private touchPiece(body: number): void {
    if (this.canFeel) this.send({ type: "feel", piece: this.names[body] });
  }

  // -- the table under the pointer ----------------------------------------------------------------------------------

  private pick(x: number, y: number, isTouch: boolean): number {
    const { stage, live, outlook } = this,
      { eye } = outlook.camera;
    return picked(stage.props, live.poses, live.seen, eye, outlook.ray(x, y), isTouch ? REACH : 0);
  }

  private about(body: number): ChoiceRow[] {
    return body < 0 ? [] : this.choices.filter((each) => this.numbers.get(each.piece) === body);
  }

  takes(x: number, y: number, isTouch: boolean, isMeant: boolean): boolean {
    if (this.isFeeling && this.canFeel) return false;
    const found = this.about(this.pick(x, y, isTouch));
    const only = found.length === 1 || this.isSandbox ? found[0] : undefined;
    if (isMeant && only) this.deeds.choose(only.choice);
    return only !== undefined;
  }

  tap(x: number, y: number, isTouch: boolean): void {
    const body = this.pick(x, y, isTouch),
      found = this.about(body);
    if (this.isFeeling && this.canFeel) {
      if (body >= 0) this.touchPiece(body);
      return;
    }
    if (found.length === 1 && !this.isSandbox) {
      this.deeds.choose(found[0].choice);
      return;
    }
    this.lit = found.length ? this.names[body] : "";
    // the rules say why not
    if (body >= 0 && !found.length && this.choices.length) this.deeds.tell(`take:${this.names[body]}`);
    if (this.turn?.mine) this.deeds.tell(this.lit ? `only:${this.lit}` : "all");
    this.loop.touch();
  }

  hover(x: number, y: number): void {
    const body = this.choices.length ? this.pick(x, y, false) : -1;
    this.mark(this.about(body).length ? body : -1);
  }

  // The piece that stands out.
  mark(body: number): void {
    if (body !== this.over) this.loop.touch();
    this.over = body;
  }

  numberOf(piece: string): number {
    return this.numbers.get(piece) ?? -1;
  }

  send(order: Order): boolean {
    this.loop.touch();
    return this.line.send(order);
  }

  // Nothing more can be chosen until the server has answered.
  wait(): void {
    [this.busy, this.pointed] = ["a moment", null];
    this.desk.refuse("", "");
    this.tellTurn();
  }
}
