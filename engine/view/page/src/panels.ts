// Panels as the server describes them (engine/view/panels.py), as HTML. An element stays as long as what it stands for,
// so that a press, a drag or the keyboard on it goes on.

import { dot, make, write } from "./dom";
import { tokens } from "./line";
import type { Pictures } from "./pictures";
import { ACTS, type Button, type FanCard, type Panel, type PanelNews } from "./protocol";

export interface Presses {
  press(name: string): void;
  slide(name: string, value: number): void;
  point(name: string): void; // at a button, "" for none
}

const PICTURE = 84; // pixels, as style sheets have it
type Item = Panel["items"][number];

export class Panels {
  private readonly shown = new Map<string, HTMLElement>();
  private readonly told = new WeakMap<Element, string>(); // what an element shows

  constructor(
    private readonly place: (name: string) => HTMLElement,
    private readonly pictures: Pictures,
    private readonly presses: Presses,
  ) {}

  show({ panel, order }: PanelNews): void {
    const { name, title, mark, items, is_bare } = panel;
    let shown = this.shown.get(name);
    if (!items.length) {
      shown?.remove();
      this.shown.delete(name);
      return;
    }
    if (!shown) {
      shown = make("section", `${name} panel`, this.place(panel.place));
      this.shown.set(name, shown);
    }
    shown.classList.toggle("bare", Boolean(is_bare));
    shown.style.order = String(order);
    this.fill(shown, title ? [{ kind: "text", text: title, size: "title", mark }, ...items] : items);
  }

  forget(): void {
    for (const each of this.shown.values()) each.remove();
    this.shown.clear();
  }

  // The button that a digit presses.
  key(key: string): HTMLButtonElement | undefined {
    const all = [...this.shown.values()].flatMap((each) => [...each.querySelectorAll("button")]);
    return all.find((each) => each.dataset.key === key && !each.disabled && !each.closest("[inert]"));
  }

  private fill(parent: HTMLElement, items: Item[]): void {
    let at = parent.firstElementChild;
    for (const item of items) {
      const id = item.kind + ("name" in item ? item.name : "");
      let found = at;
      while (found && (found as HTMLElement).dataset.id !== id) found = found.nextElementSibling;
      if (!found) {
        found = this.made(parent, item);
        (found as HTMLElement).dataset.id = id;
        parent.insertBefore(found, at);
      }
      for (; at && at !== found; at = drop(at));
      at = found.nextElementSibling;
      const told = JSON.stringify(item);
      if (this.told.get(found) === told) continue;
      this.told.set(found, told);
      this.update(found as HTMLElement, item);
    }
    while (at) at = drop(at);
  }

  private made(parent: HTMLElement, item: Item): HTMLElement {
    switch (item.kind) {
      case "text":
        return make(item.size === "title" ? "h1" : "p", "", parent);
      case "button":
        return this.button(parent, item);
      case "slider": {
        const label = make("label", "slider", parent),
          text = make("span", "", label),
          range = make("input", "", label);
        range.type = "range";
        range.addEventListener("input", () => {
          write(text, `${item.text}: ${range.value}`);
          this.presses.slide(item.name, Number(range.value));
        });
        return label;
      }
      default:
        return make("div", item.kind, parent);
    }
  }

  private update(element: HTMLElement, item: Item): void {
    switch (item.kind) {
      case "text":
        element.className = `${item.tone ?? "plain"} ${item.size ?? ""} ${item.bold ? "bold" : ""}`;
        // of a hand the verdict is said, and not each millimetre
        if (element.closest(".hand")) element.ariaLive = item.bold ? "polite" : "off";
        element.replaceChildren();
        this.mark(element, item.mark);
        make("span", "", element, item.text);
        break;
      case "button":
        this.dress(element as HTMLButtonElement, item);
        break;
      case "slider": {
        const [text, range] = element.children as unknown as [HTMLElement, HTMLInputElement],
          { low = 0, high = 1, marks, steps = 20 } = item,
          step = marks?.length ? 1 : (high - low) / 200;
        write(text, `${item.text}: ${item.shown || item.value}`);
        range.ariaLabel = item.text;
        range.dataset.act = item.name;
        range.dataset.steps = String(steps);
        if (document.activeElement === range) break; // it is being dragged
        Object.assign(range, { min: String(low), max: String(high), step: String(step) });
        range.value = String(item.value);
        break;
      }
      case "meter":
        element.style.setProperty("--part", `${100 * item.part}%`);
        break;
      case "picture":
        element.replaceChildren();
        element.style.minHeight = `${Math.min(item.height ?? 0, PICTURE)}px`; // before it has come, too
        this.picture(element, item.image);
        make("span", "", element, titleOf(item.image));
        break;
      case "fan":
        element.replaceChildren();
        for (const card of item.cards) this.card(element, card);
        break;
      case "gap":
        element.style.height = `${item.height ?? 6}px`;
        break;
      case "row":
        this.fill(element, item.items);
        [...element.children].forEach((each, n) => {
          if (item.shares?.length) (each as HTMLElement).style.flex = `${item.shares[n]} 1 0`;
        });
        break;
      case "field":
        element.textContent = `${item.label} ${item.text}`;
    }
  }

  private button(parent: HTMLElement, item: Button | FanCard): HTMLButtonElement {
    const made = make("button", "", parent);
    made.type = "button";
    made.addEventListener("click", () => {
      this.presses.press(item.name);
      // the next page of a list is read from its beginning
      if (item.name === "page") for (const each of [parent, parent.parentElement!]) each.scrollTop = 0;
    });
    for (const [on, off] of [
      ["pointerenter", "pointerleave"],
      ["focus", "blur"],
    ]) {
      made.addEventListener(on, () => this.presses.point(item.name));
      made.addEventListener(off, () => this.presses.point(""));
    }
    return made;
  }

  private dress(made: HTMLButtonElement, item: Button): void {
    made.className = [item.tone, item.is_on && "on", item.is_lit && "lit"].filter(Boolean).join(" ");
    made.disabled = item.is_enabled === false;
    const seat = this.name(made, item.name, item.key);
    made.title = ACTS[made.dataset.act ?? ""] ?? (seat ? `${item.text}: ${seat}` : item.text);
    if (seat) [made.ariaLabel, made.dataset.about] = [made.title, seat];
    made.replaceChildren();
    this.mark(made, item.mark);
    this.picture(made, item.image);
    make("span", "", made, item.text);
    if (item.text2) make("small", "", made, item.text2);
  }

  private card(parent: HTMLElement, card: FanCard): void {
    const made = this.button(parent, card);
    made.dataset.id = `card${card.name}`;
    made.disabled = card.is_enabled === false;
    made.classList.toggle("lit", Boolean(card.is_lit));
    if (!made.disabled) this.name(made, card.name, card.key);
    this.picture(made, card.image);
    make("span", "", made, titleOf(card.image));
  }

  // What it does stands in its attributes, for tests and style sheets. Returns whom it is about.
  private name(made: HTMLElement, name: string, key = ""): string {
    if (key) made.dataset.key = key;
    if (!name.startsWith("{")) {
      const [, kind, rest] = /^(\w+):(.*)$/.exec(name) ?? [, "act", name];
      made.dataset[kind!] = rest;
      return "";
    }
    const order = JSON.parse(name);
    const about = (made.dataset[order.type] = order.seat ?? order.name ?? "");
    // who sat there in this window alone can come back
    if (order.type === "come_back") made.hidden = !tokens.of(order.seat);
    return about;
  }

  private mark(parent: HTMLElement, mark = ""): void {
    for (const one of mark.split(" ").filter(Boolean)) {
      const [colour, letter = ""] = one.split(":");
      dot(parent, colour).dataset.letter = letter;
    }
  }

  private picture(parent: HTMLElement, image = ""): void {
    this.pictures.show(parent, image);
  }
}

// Takes an element away; returns the next one.
function drop(element: Element): Element | null {
  const next = element.nextElementSibling;
  element.remove();
  return next;
}

// What stands on the picture of a card.
function titleOf(image: string): string {
  return image.startsWith("card|") ? image.split("|")[1] : "";
}
