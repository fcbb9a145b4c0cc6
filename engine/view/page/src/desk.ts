// What lies around the table of a seat, as HTML: whose turn it is, what may be chosen, scores, story, the buttons of the
// hand. It shows what it is told and says what was pressed; it knows no rules. Every text is set as text.

import { button, dot, make, write } from "./dom";
import { HandPanel } from "./handpanel";
import { tokens } from "./line";
import { Pictures } from "./pictures";
import { Shelf } from "./shelf";
import type { CardRow, ChoiceRow, Guest, Order, Over, SeatRow, Turn, Welcome } from "./protocol";

export interface Acts {
  choose(choice: number): void;
  act(name: string): boolean;
  comeBack(seat: string): void;
  push(newtons: number, towards: number): void;
  tilt(degrees: number, towards: number): void;
  send(order: Order): void;
  point(piece: string): void; // at a choice: the piece it is about, "" for none
}

const NARROW = "(max-width: 720px)";
const MOST_LISTED = 9; // choices of pieces that lie on the table, which one can tap there
const FEWEST_LISTED = 3; // on a small page
const GROUPS: Record<string, string> = { card: "Cards", piece: "Pieces", bid: "Bid", act: "Or" };
const STORY_LINES = 80;
const TOAST_MS = 4200;
const REFUSED_MS = 8000;

export class Desk {
  readonly root: HTMLElement;
  private readonly part: Record<string, HTMLElement> = {};
  private readonly buttons: Record<string, HTMLButtonElement> = {};
  private toastEnds = 0;
  private refusalEnds = 0;
  private isListed = false; // all choices, also those that lie on the table
  private only = ""; // the piece to which the list is narrowed
  private turn: Turn | null = null;
  private seats: SeatRow[] = [];
  private guests: Guest[] = [];
  private welcome: Welcome | null = null;
  private onTable: ReadonlySet<string> = new Set();
  private isShut = true; // nothing may be chosen now
  readonly hand: HandPanel;
  private shelf: Shelf | null = null;
  readonly pictures = new Pictures();

  constructor(
    parent: HTMLElement,
    private readonly acts: Acts,
  ) {
    this.root = make("div", "desk", parent);
    const panel = (name: string, tag: "section" | "div" = "section"): HTMLElement =>
      (this.part[name] = make(tag, `${name} panel`, this.root));
    const turn = panel("turn");
    turn.setAttribute("aria-live", "polite");
    for (const name of ["whose", "ask", "conditions", "clock", "cards", "choices"])
      this.part[name] = make(name === "whose" ? "h1" : "div", name, turn);
    for (const name of ["seats", "facts"]) this.part[name] = make("div", name, panel(`${name}-panel`));
    this.makeStory(panel("story"));
    this.hand = new HandPanel(this.root, (name) => acts.act(name));
    this.makeTools(panel("tools", "div"));
    this.part.messages = make("div", "messages", this.root);
    for (const name of ["toast", "refusal", "lost"]) {
      this.part[name] = make("output", `${name} panel`, this.part.messages);
      this.part[name].hidden = true;
    }
    this.part.tag = make("output", "tag", parent);
    this.part.over = make("section", "over panel", this.root);
    this.part.over.hidden = true;
    for (const name of ["facts-panel", "seats-panel"]) this.part[name].hidden = true;
    write(this.part.whose, "Coming to the table ...");
  }

  // The rectangle of the picture that panels leave free most of the time, in pixels.
  get clear(): { left: number; top: number; right: number; bottom: number } {
    const [wide, high] = [this.root.clientWidth, this.root.clientHeight];
    const box = (name: string) =>
      this.root.querySelector(`:scope > .${name}:not([hidden])`)?.getBoundingClientRect();
    const [turn, hand, seats, shelf] = ["turn", "hand", "seats-panel", "shelf"].map(box);
    if (!matchMedia(NARROW).matches)
      return { left: turn?.right ?? 0, top: 0, right: seats?.left ?? wide, bottom: hand?.top ?? high };
    const bottom = Math.min(...[turn, hand, shelf].map((each) => (each?.height ? each.top : high)));
    return { left: 0, top: seats?.bottom ?? 0, right: wide, bottom };
  }

  private makeStory(panel: HTMLElement): void {
    this.part.lines = make("div", "lines", panel);
    this.part.lines.setAttribute("role", "log");
    const form = make("form", "say", panel),
      said = make("input", "", form);
    Object.assign(said, { maxLength: 300, placeholder: "Say something", ariaLabel: "Say something" });
    const send = make("button", "", form, "Say");
    send.type = "submit";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (said.value.trim()) this.acts.send({ type: "chat", text: said.value.trim() });
      said.value = "";
    });
    this.part.say = form;
  }

  private makeTools(panel: HTMLElement): void {
    this.press(
      panel,
      "feel",
      "Feel",
      "Feel pieces: what lies on them, how hard they are to move (W)",
    ).hidden = true;
    this.press(panel, "undo", "Undo", "Take it back (U)");
    this.press(panel, "view", "View", "Look from elsewhere (C)");
    this.press(panel, "sound", "Sound", "Sound (S)").setAttribute("aria-pressed", "false");
    this.press(panel, "story", "Story", "What was said and done");
    button(panel, "Rules", "The rules in pictures", () => open("rules", "_blank", "noopener"));
    this.press(panel, "pause", "Pause", "Time stands still for all").setAttribute("aria-pressed", "false");
    this.press(panel, "speed", "1 x", "How fast time runs");
    this.press(panel, "stand_up", "Stand up", "Leave the seat to somebody else");
  }

  private press(parent: HTMLElement, name: string, text: string, title: string): HTMLButtonElement {
    const made = button(parent, text, title, () => this.acts.act(name));
    made.dataset.act = name;
    made.type = "button";
    return (this.buttons[name] = made);
  }

  // -- what is told -------------------------------------------------------------------------------------------------

  greet(welcome: Welcome): void {
    this.welcome = welcome;
    document.title = welcome.title;
    this.part.say.hidden = welcome.role === "spectator";
    this.buttons.stand_up.hidden = !welcome.seat;
    for (const name of ["pause", "speed"]) this.buttons[name].hidden = welcome.role !== "host";
    this.showSeats(this.seats);
    if (!this.turn) write(this.part.whose, welcome.title);
  }

  showSeats(seats: SeatRow[]): void {
    this.seats = seats;
    const { welcome, turn } = this,
      rows = this.part.seats;
    rows.replaceChildren();
    this.part["seats-panel"].hidden = !seats.length;
    if (turn?.score_word) make("h2", "", rows, turn.score_word);
    for (const seat of seats) {
      const row = make("div", "seat", rows);
      row.dataset.seat = seat.name;
      const score = turn?.scores.find((each) => each.seat === seat.name);
      if (score?.on_turn) row.classList.add("on-turn");
      dot(row, seat.colour);
      const isMine = welcome?.seat === seat.name;
      make("span", "name", row, isMine ? `${seat.name} (you)` : seat.name);
      const members = seat.members.filter((each) => each !== seat.name).join(", ");
      const said = { free: "free", here: "", away: "away", bot: `bot${seat.style ? `, ${seat.style}` : ""}` };
      make("span", "quiet", row, [members, said[seat.state]].filter(Boolean).join(" · "));
      make("span", "score", row, score ? String(score.value) : "");
      const mayAct = welcome && welcome.role !== "spectator";
      if (mayAct && !welcome.seat && seat.state === "free")
        button(row, "Sit here", `Sit here: ${seat.name}`, () =>
          this.acts.send({ type: "sit", seat: seat.name }),
        ).dataset.sit = seat.name;
      if (mayAct && !welcome.seat && seat.state === "away" && tokens.of(seat.name))
        button(row, "Come back", `It is yours: ${seat.name}`, () =>
          this.acts.comeBack(seat.name),
        ).dataset.back = seat.name;
      if (welcome?.role === "host" && !isMine && (seat.state === "away" || seat.state === "free"))
        button(row, "To a bot", "A bot plays on", () =>
          this.acts.send({ type: "to_bot", seat: seat.name, style: "steady" }),
        );
      if (welcome?.role === "host" && !isMine && seat.state === "bot")
        button(row, "To a person", "The seat becomes free", () =>
          this.acts.send({ type: "to_person", seat: seat.name }),
        );
      if (!isMine && (seat.state === "here" || seat.state === "away")) this.keepOrder(row, seat);
    }
    for (const guest of this.guests) {
      const row = make("div", "seat guest", rows);
      make("span", "name", row, guest.name);
      make("span", "quiet", row, guest.role === "spectator" ? "looks on" : "sits nowhere");
      this.keepOrder(row, guest);
    }
  }

  showGuests(guests: Guest[]): void {
    this.guests = guests;
    this.showSeats(this.seats);
  }

  // What the host may do about somebody.
  private keepOrder(row: HTMLElement, { name, muted }: { name: string; muted: boolean }): void {
    if (this.welcome?.role !== "host") return;
    const title = muted ? `Let ${name} say something again` : `${name} can say nothing any more`;
    const mute = button(row, muted ? "Unmute" : "Mute", title, () =>
      this.acts.send({ type: "mute", name, is_muted: !muted }),
    );
    mute.dataset.mute = name;
    const away = `${name} has to go; the link they came by opens nothing any more`;
    button(row, "Send away", away, () => this.acts.send({ type: "send_away", name })).dataset.sendAway = name;
  }

  // turn: null while nobody is asked. busy: why.
  showTurn(turn: Turn | null, busy: string, onTable: ReadonlySet<string>): void {
    const isNew = turn?.turn !== this.turn?.turn;
    this.onTable = onTable;
    if (turn) this.turn = turn;
    if (isNew) {
      this.isListed = false;
      this.only = "";
    }
    const now = this.turn;
    const seat = this.seats.find((each) => each.name === now?.who || each.members.includes(now?.who ?? ""));
    if (now && !this.welcome?.catalogue?.length) {
      const told = now.wait === "over" ? "The game is over" : now.mine ? "Your turn" : `${now.who}'s turn`;
      if (this.part.whose.textContent !== told || isNew) {
        this.part.whose.replaceChildren(told);
        if (seat && now.wait !== "over") this.part.whose.prepend(dot(this.part.whose, seat.colour));
      }
    } else write(this.part.whose, this.welcome?.title ?? "");
    this.part.turn.classList.toggle("mine", Boolean(now?.mine) && !busy);
    write(this.part.ask, busy ? `${busy} ...`.replace("... ...", "...") : (now?.ask ?? ""));
    this.part.ask.classList.toggle("quiet", Boolean(busy));
    this.part.conditions.replaceChildren();
    if (!busy) for (const each of turn?.conditions ?? []) make("p", "", this.part.conditions, each);
    this.isShut = Boolean(busy) || !turn?.mine;
    this.list();
    this.showCards(now?.cards ?? []);
    const facts = now?.facts ?? [];
    this.part["facts-panel"].hidden = !facts.length;
    this.part.facts.replaceChildren(...facts.map((fact) => make("p", "", this.part.facts, fact)));
    this.showSeats(this.seats);
    this.buttons.undo.hidden = !now?.mine;
    this.buttons.undo.disabled = Boolean(busy) || !turn?.can_undo;
  }

  // One slider and one button for many bids.
  private offerBid(box: HTMLElement, own: ChoiceRow[]): void {
    const slider = make("input", "", box),
      chosen = make("div", "", box);
    slider.type = "range";
    [slider.min, slider.max, slider.value] = [
      "0",
      String(own.length - 1),
      own[0].sentence.endsWith(" 0") ? "1" : "0",
    ];
    slider.ariaLabel = "bid";
    const show = () => {
      chosen.replaceChildren();
      this.offer(chosen, own[+slider.value]);
    };
    slider.addEventListener("input", show);
    show();
  }

  // Only choices about a piece that was tapped; empty: all.
  narrow(piece: string): void {
    this.only = piece;
    this.list();
  }

  private list(): void {
    const { choices = [], cards = [] } = (!this.isShut && this.turn) || {};
    this.showChoices(choices.filter((each) => cards.every((card) => card.choice !== each.choice)));
  }

  private showChoices(choices: ChoiceRow[]): void {
    const place = this.part.choices;
    place.replaceChildren();
    let listed = choices;
    if (this.only) {
      listed = choices.filter((each) => each.piece === this.only);
      if (!listed.length) listed = choices;
    } else if (!this.isListed) {
      const lying = choices.filter((each) => each.group === "piece" && this.onTable.has(each.piece));
      if (lying.length > (matchMedia(NARROW).matches ? FEWEST_LISTED : MOST_LISTED)) {
        listed = choices.filter((each) => !lying.includes(each));
        make("p", "quiet", place, "Tap a piece on the table.");
        const all = button(place, `List all ${lying.length}`, "A button for each piece", () => {
          this.isListed = true;
          this.list();
        });
        all.dataset.act = "list";
      }
    }
    const groups = new Map<string, ChoiceRow[]>();
    for (const each of listed) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
    for (const [group, own] of groups) {
      if (groups.size > 1) make("h2", "", place, GROUPS[group] ?? group);
      const box = make("div", "group", place);
      if (group === "bid" && own.length > 1) this.offerBid(box, own);
      else for (const choice of own) this.offer(box, choice);
    }
    if (this.only && listed.length < choices.length) {
      const all = button(place, "All choices", "All that may be chosen", () => this.narrow(""));
      all.classList.add("quiet");
    }
  }

  private offer(box: HTMLElement, choice: ChoiceRow): void {
    const made = button(box, "", choice.sentence, () => this.acts.choose(choice.choice));
    made.dataset.choice = String(choice.choice);
    if (choice.piece) made.dataset.piece = choice.piece;
    this.pictures.show(made, choice.picture);
    make("span", "", made, choice.label);
    made.addEventListener("pointerenter", () => this.acts.point(choice.piece));
    made.addEventListener("pointerleave", () => this.acts.point(""));
    made.addEventListener("focus", () => this.acts.point(choice.piece));
    made.addEventListener("blur", () => this.acts.point(""));
  }

  private showCards(cards: CardRow[]): void {
    const place = this.part.cards;
    place.replaceChildren();
    if (cards.length) make("h2", "", place, "Your cards");
    const row = make("div", "fan", place);
    for (const card of cards) {
      const shown = button(row, "", card.sentence, () => this.acts.choose(card.choice));
      shown.disabled = this.isShut || card.choice < 0;
      if (!shown.disabled) shown.dataset.choice = String(card.choice);
      this.pictures.show(shown, card.picture);
      make("span", "", shown, card.label);
    }
  }

  tell(lines: string[], isAll = false): void {
    const place = this.part.lines;
    if (isAll) place.replaceChildren();
    for (const line of lines) make("p", "", place, line);
    while (place.childElementCount > STORY_LINES) place.firstElementChild!.remove();
    place.scrollTop = place.scrollHeight;
  }

  say(who: string, text: string): void {
    const line = make("p", "chat", this.part.lines);
    if (who) make("b", "", line, `${who}: `);
    make("span", "", line, text);
    this.part.lines.scrollTop = this.part.lines.scrollHeight;
  }

  toast(text: string): void {
    write(this.part.toast, text);
    this.part.toast.hidden = !text;
    clearTimeout(this.toastEnds);
    this.toastEnds = window.setTimeout(() => (this.part.toast.hidden = true), TOAST_MS);
  }

  refuse(clause: string, sentence: string): void {
    const place = this.part.refusal;
    place.replaceChildren();
    if (clause) make("b", "", place, `${clause} `);
    make("span", "", place, sentence);
    place.hidden = !sentence;
    clearTimeout(this.refusalEnds);
    this.refusalEnds = window.setTimeout(() => (place.hidden = true), REFUSED_MS);
  }

  // What is said at a place of a picture so large, pixels; empty for nothing.
  tag(text: string, [x, y]: number[], [wide, high]: number[]): void {
    const { tag } = this.part;
    tag.hidden = !text;
    if (!text) return;
    write(tag, text);
    tag.style.left = `${Math.max(8, Math.min(x + 24, wide - tag.offsetWidth - 8))}px`;
    tag.style.top = `${Math.max(8, Math.min(y - 12 - tag.offsetHeight, high - tag.offsetHeight))}px`;
  }

  // Whether pieces can be felt, and a tap does.
  showFeel(may: boolean, isOn: boolean): void {
    this.buttons.feel.hidden = !may;
    this.buttons.feel.setAttribute("aria-pressed", String(isOn));
  }

  // Why nothing can be done now; empty: it can again.
  lose(why: string): void {
    write(this.part.lost, why);
    this.part.lost.hidden = !why;
    this.root.classList.toggle("is-lost", Boolean(why));
  }

  showClock(seconds: number | null): void {
    const text = seconds === null ? "" : `${Math.max(0, Math.ceil(seconds))} s left`;
    write(this.part.clock, text);
    this.part.clock.classList.toggle("late", seconds !== null && seconds < 10);
  }

  // The sandbox: the piece that would be pushed, and what lies on the floor.
  showShelf(chosen: string, fallen: [name: string, said: string][], canAct: boolean): void {
    this.shelf ??= new Shelf(this.root, this.acts, this.welcome?.catalogue ?? []);
    this.shelf.show(chosen, fallen, canAct);
  }

  hear(isOn: boolean): void {
    this.buttons.sound.setAttribute("aria-pressed", String(isOn));
  }

  // The clock of the table, which the host holds.
  run(isPaused: boolean, speed: number): void {
    this.buttons.pause.setAttribute("aria-pressed", String(isPaused));
    write(this.buttons.speed, `${speed} x`);
  }

  openStory(): void {
    this.root.classList.toggle("reads");
    this.part.lines.scrollTop = this.part.lines.scrollHeight;
  }

  end(over: Over | null, why = ""): void {
    const place = this.part.over,
      isClosed = place.hidden && place.childElementCount > 0; // by who looks at the table
    place.replaceChildren();
    place.hidden = (!over && !why) || (isClosed && !!over?.why);
    if (why) {
      make("h1", "", place, "The game cannot go on");
      make("p", "", place, why);
    }
    if (!over) return;
    make("h1", "", place, over.result);
    make("p", "reason", place, over.clause ? `${over.reason} (${over.clause})` : over.reason);
    if (over.why) make("p", "fall", place, `The last fall: ${over.why}`);
    const table = make("div", "", place);
    for (const score of this.turn?.scores ?? []) {
      const row = make("div", "seat", table);
      dot(row, this.seats.find((seat) => seat.name === score.seat)?.colour ?? "");
      make("span", "name", row, score.seat);
      make("span", "score", row, `${score.value} ${this.turn?.score_word ?? ""}`);
    }
    const close = button(place, "Look at the table", "Close this", () => (place.hidden = true));
    close.dataset.act = "look";
  }
}
