// The page begins: data, stage, and the viewer for what it shows.

import {
  Numbers,
  textOf,
  type SceneData,
  type RecordingData,
  type SweepData,
  type VerdictData,
} from "./data";
import { prove } from "./certificate";
import { make } from "./dom";
import { Player } from "./player";
import { Seat } from "./seat";
import { Stage } from "./stage";
import { SweepView } from "./sweep";
import { VerdictView } from "./verdict";

async function begin(): Promise<void> {
  const root = make("main", new URLSearchParams(location.search).has("bare") ? "bare" : "", document.body);
  try {
    const canvas = make("canvas", "", root);
    canvas.addEventListener("webglcontextlost", (event) => {
      // a phone takes the graphics card from pages that nobody looks at
      event.preventDefault();
      make("p", "fault", root, "The graphics card took the picture away. Reload this page if it stays away.");
    });
    canvas.addEventListener("webglcontextrestored", () => location.reload());
    const data = JSON.parse(textOf("data")) as SceneData;
    const stage = new Stage(canvas, data),
      numbers = await Numbers.of(textOf("blob"));
    if (data.kind === "seat") {
      const view = new Seat(stage, root);
      Object.assign(globalThis, { teeter: { view, stage, data } });
      document.documentElement.dataset.ready = String(Math.round(performance.now()));
      return;
    }
    await stage.add(data, numbers);
    const view =
      data.kind === "recording"
        ? new Player(data as RecordingData, numbers, stage, root)
        : data.kind === "sweep"
          ? new SweepView(data as SweepData, numbers, stage, root)
          : new VerdictView(data as VerdictData, numbers, stage, root);
    view.loop.picture();
    // for programs that drive the page
    Object.assign(globalThis, { teeter: { view, stage, data, prove } });
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    make("p", "fault", root, error instanceof Error ? error.message : String(error));
    document.documentElement.dataset.fault = String(error);
  }
}

void begin();
