/** Promise: a graph with another signature is refused by name when opened, and a valid one runs. */
import { describe, expect, test } from "bun:test";
import { type Graph, type Value, writeOnnx } from "../../../testing/onnx.ts";
import { openGraph, openPlainly, type Signature } from "../../../workers/onnx/session.ts";
import { openSilero } from "../../../workers/vad/silero.ts";
import { hasSilero, unlessSilero, WEIGHTS } from "../../clips.ts";

const STATE = { name: "state", type: "float32", shape: [2, "B", 128] } as const satisfies Value;

/** Silero's signature over next to nothing: how loud a window is, and a state that counts. */
const LOUDNESS: Graph = {
  inputs: [
    { name: "input", type: "float32", shape: ["B", 576] },
    { ...STATE, shape: [...STATE.shape] },
    { name: "sr", type: "int64", shape: [] },
  ],
  outputs: [
    { name: "output", type: "float32", shape: ["B", 1] },
    { name: "stateN", type: "float32", shape: [2, "B", 128] },
  ],
  nodes: [
    { op: "Abs", inputs: ["input"], outputs: ["levels"] },
    { op: "ReduceMean", inputs: ["levels"], outputs: ["output"], attributes: { axes: [1], keepdims: 1 } },
    { op: "Add", inputs: ["state", "one"], outputs: ["stateN"] },
  ],
  constants: [{ name: "one", shape: [1], values: Float32Array.of(1) }],
};

const withInput = (name: string, change: Partial<Value>): Graph => ({
  ...LOUDNESS,
  inputs: LOUDNESS.inputs.map((value) => (value.name === name ? { ...value, ...change } : value)),
});

describe("a session for Silero", () => {
  test("accepts a graph of its signature, and each stream keeps its own state", async () => {
    const detector = await openSilero(writeOnnx(LOUDNESS));
    const [quiet, loud] = [detector.open(), detector.open()];
    const windows = [new Float32Array(512), new Float32Array(512).fill(0.9)];
    const [first, second] = await detector.detect([quiet, loud], windows);
    expect([first, second]).toEqual([0, expect.closeTo(0.8, 6)]); // 64 of 576 are the context: silence, at first
    const [again] = await detector.detect([loud], [windows[1]!]);
    expect(again).toBeCloseTo(0.9, 5);
    expect([quiet.state[0], quiet.state[255], loud.state[0], loud.state[255]]).toEqual([1, 1, 2, 2]);
  });

  test.skipIf(!hasSilero)(`accepts the real weights${unlessSilero}`, async () => {
    const detector = await openSilero(`${WEIGHTS}/silero-vad/silero_vad.onnx`);
    const [silence] = await detector.detect([detector.open()], [new Float32Array(512)]);
    expect(silence).toBeLessThan(0.5);
  });

  test.each([
    [
      "another size",
      withInput("input", { shape: ["B", 512] }),
      "input input is float32 [?, 512], not float32 [?, 576]",
    ],
    ["another type", withInput("sr", { type: "int32" }), "input sr is int32 [], not int64 []"],
    ["another rank", withInput("state", { shape: ["B", 128] }), "input state is float32 [?, 128], not"],
    ["another name", withInput("state", { name: "h" }), "it has no input state; it needs an input h"],
  ])("refuses %s, and names it", async (_what, graph, message) => {
    const changed = JSON.parse(
      JSON.stringify(graph.nodes).replaceAll('"state"', `"${graph.inputs[1]!.name}"`),
    );
    const opened = openSilero(writeOnnx({ ...graph, nodes: changed }));
    await expect(opened).rejects.toThrow(message);
  });
});

const ANY: Signature = { inputs: {}, outputs: {} };

test("an invalid graph is refused", async () => {
  await expect(openGraph(Buffer.from("not a model"), ANY)).rejects.toThrow();
  await expect(openGraph("/nowhere/model.onnx", ANY)).rejects.toThrow();
});

describe("a graph that fails to open", () => {
  test("is tried once more with the basic optimizations", async () => {
    const levels: (string | undefined)[] = [];
    const opened = await openPlainly(async ({ graphOptimizationLevel }) => {
      levels.push(graphOptimizationLevel);
      if (graphOptimizationLevel === undefined) throw new Error("Missing required scale");
      return "a session";
    });
    expect([opened, levels]).toEqual(["a session", [undefined, "basic"]]);
  });

  test("is refused with the first reason", async () => {
    const opened = openPlainly(async ({ graphOptimizationLevel }) => {
      throw new Error(graphOptimizationLevel ?? "the first reason");
    });
    await expect(opened).rejects.toThrow("the first reason");
  });
});
