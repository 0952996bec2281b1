/** Promise: the part of a Kokoro graph that knows the durations says what the whole graph takes, and holds nothing else. */
import { afterAll, expect, test } from "bun:test";
import { soleClaim } from "../../src/engine/claim.ts";
import { durationsGraph } from "../../src/onnx/durations-graph.ts";
import { openTestStore } from "../packages/model-store.ts";
import { nemoEncoder } from "../packages/nemo.ts";
import { kokoroContents, kokoroDurations, kokoroGraph } from "../packages/voices.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

test("it measures what the whole says, at any pace", async () => {
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
      instructions: "",
      phonemes: "həlˈO wˈɜɹld",
    };
    const ask = (more: object) =>
      store.registry.engine("kokoro-82m").run<Float32Array | number>({ ...task, ...more }, soleClaim());
    const measured = await ask({ length: "measure" });
    const said = (await ask({})) as Float32Array;
    expect(measured as number).toBeGreaterThanOrEqual(said.length); // which is trimmed
    expect((measured as number) % 600).toBe(0);
    expect((measured as number) - said.length).toBeLessThan(2400);
  }
});

test("what shows no durations has none, and what is no graph is none", () => {
  expect(durationsGraph(nemoEncoder())).toBeNull();
  expect(durationsGraph(Buffer.from("not a model at all"))).toBeNull();
  expect(durationsGraph(kokoroDurations())).not.toBeNull();
});
