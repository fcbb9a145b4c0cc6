// Elements of the page. Every text is set as text, never as markup.

export const NARROW = "(max-width: 720px), (max-width: 960px) and (max-height: 27em)";
export const STILL = "(prefers-reduced-motion: reduce)";

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name: string,
  parent: HTMLElement,
  text = "",
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  parent.append(element);
  return element;
}

export function button(
  parent: HTMLElement,
  text: string,
  title: string,
  press: () => void,
): HTMLButtonElement {
  const element = make("button", "", parent, text);
  element.title = title;
  element.addEventListener("click", press);
  return element;
}

// Has the browser keep a file.
export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Sets a text only where it is another one: what is set is painted anew.
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

// A spot of a colour `#rrggbb`.
export function dot(parent: HTMLElement, colour: string): HTMLElement {
  const made = make("span", "dot", parent);
  if (/^#[0-9a-f]{6}$/i.test(colour)) made.style.background = colour;
  return made;
}
