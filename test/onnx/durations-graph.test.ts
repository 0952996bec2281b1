/** Promise: the subgraph for durations gives the same lengths as the whole Kokoro graph, and contains nothing else. */

import { afterAll, expect, test } from "bun:test";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { durationsGraph } from "../../src/onnx/durations-graph.ts";
import { nemoEncoder } from "../../testing/packages/families/nemo.ts";
import { kokoroContents, kokoroDurations, kokoroGraph } from "../../testing/packages/families/voices.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

test("the subgraph gives the durations of the whole graph, at any speed", async () => {
  const pruned = durationsGraph(kokoroGraph())!;
  expect(pruned.length).toBeLessThan(kokoroGraph().length);
  const contents = { ...kokoroContents(), durations: { path: "derived/durations.onnx", bytes: pruned } };
  store.add("kokoro-82m", "kokoro", { contents });
  for (const speed of [0.61, 1, 1.73]) {
    const task = {
      text: "",
      language: "en-US",
      speaker: "af_heart",
      speed,
      kind: "synthesis" as const,
      instructions: "",
      phonemes: "həlˈO wˈɜɹld",
    };
    const ask = (more: object) => store.registry.engine("kokoro-82m").run({ ...task, ...more }, soleClaim());
    const measured = await ask({ length: "measure" });
    const durations = samplesOf(await ask({}));
    expect(measured as number).toBeGreaterThanOrEqual(durations.length); // which is trimmed
    expect((measured as number) % 600).toBe(0);
    expect((measured as number) - durations.length).toBeLessThan(2400);
  }
});

test("a graph without durations, or an invalid graph, gives no subgraph", () => {
  expect(durationsGraph(nemoEncoder())).toBeNull();
  expect(durationsGraph(Buffer.from("not a model at all"))).toBeNull();
  expect(durationsGraph(kokoroDurations())).not.toBeNull();
});
