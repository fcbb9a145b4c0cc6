// What the sandbox has beside the table: pieces to bring, a push, a tilt, and what fell to the floor.

import type { Acts } from "./desk";
import { button, make, write } from "./dom";

export class Shelf {
  private readonly push: HTMLButtonElement;
  private readonly off: HTMLElement;

  constructor(
    parent: HTMLElement,
    private readonly acts: Acts,
    catalogue: { model: string; label: string }[],
  ) {
    const panel = make("section", "shelf panel", parent);
    make("h2", "", panel, "Sandbox");
    const strength = slider(panel, "push, newtons", 0.05, 5, 0.05, 0.3);
    const way = slider(panel, "towards, degrees to the left", 0, 345, 15, 0);
    this.push = button(panel, "Push", "Push it for half a second", () =>
      acts.push(Number(strength.value), Number(way.value)),
    );
    this.push.dataset.act = "push";
    const tilt = slider(panel, "tilt of the table, degrees", 0, 30, 0.5, 0);
    tilt.addEventListener("input", () => acts.tilt(Number(tilt.value), Number(way.value)));
    tilt.dataset.act = "tilt_table";
    let isSure = false;
    const clear = button(panel, "Clear", "Put everything away", () => {
      if (isSure) acts.act("clear");
      isSure = !isSure;
      write(clear, isSure ? "Put everything away? Once more." : "Clear");
    });
    clear.dataset.act = "clear";
    this.off = make("div", "", panel);
    make("h2", "", panel, "Pieces");
    const shelves = new Map<string, { model: string; label: string }[]>();
    for (const each of catalogue) {
      const [name, label] = each.label.includes(": ") ? each.label.split(": ", 2) : ["all", each.label];
      shelves.set(name, [...(shelves.get(name) ?? []), { model: each.model, label }]);
    }
    for (const [name, own] of shelves) {
      const box = make("details", "", panel);
      make("summary", "", box, name);
      const group = make("div", "group", box);
      for (const { model, label } of own)
        button(group, label, `Bring ${label}`, () => acts.send({ type: "bring", model })).dataset.model =
          model;
    }
  }

  show(chosen: string, fallen: [name: string, said: string][], canAct: boolean): void {
    write(this.push, chosen ? `Push the ${chosen}` : "Push: tap a piece first");
    this.push.disabled = !canAct || !chosen;
    const key = fallen.map(([name]) => name).join("\n");
    if (this.off.dataset.key === key) return;
    this.off.dataset.key = key;
    this.off.replaceChildren();
    for (const [name, said] of fallen) {
      const row = make("div", "seat", this.off);
      make("span", "name", row, `${said}: on the floor`);
      button(row, "Bring back", `Bring back the ${said}`, () =>
        this.acts.send({ type: "fetch", piece: name }),
      ).dataset.fetch = name;
    }
  }
}

function slider(
  parent: HTMLElement,
  label: string,
  least: number,
  most: number,
  step: number,
  value: number,
): HTMLInputElement {
  const box = make("label", "slider", parent),
    text = make("span", "", box, `${label}: ${value}`),
    made = make("input", "", box);
  Object.assign(made, { type: "range", min: String(least), max: String(most), step: String(step) });
  made.value = String(value);
  made.addEventListener("input", () => write(text, `${label}: ${made.value}`));
  return made;
}
