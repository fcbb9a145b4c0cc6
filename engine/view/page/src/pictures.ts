// Pictures of pieces and cards. They come as data of the line, later than what they show, or never.

import { make } from "./dom";

export class Pictures {
  private readonly known = new Map<string, string>();
  private readonly waiting = new Map<string, HTMLImageElement[]>();

  // Takes in pictures by their names; what is no picture is not shown.
  keep(pictures: Record<string, string>): void {
    for (const [name, data] of Object.entries(pictures)) {
      if (!data.startsWith("data:image/png;base64,")) continue;
      this.known.set(name, data);
      for (const each of this.waiting.get(name) ?? []) each.src = data;
      this.waiting.delete(name);
    }
  }

  show(parent: HTMLElement, name: string): void {
    if (!name) return;
    const made = make("img", "", parent),
      data = this.known.get(name);
    made.alt = "";
    if (data) made.src = data;
    else this.waiting.set(name, [...(this.waiting.get(name) ?? []).filter((each) => each.isConnected), made]);
  }
}
