/** Promise: a model returns a tensor from inside its graph as well, and is otherwise the same; a file without it stays as it is. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDurations, onlyOutputOf } from "../../../src/onnx/graph-nodes.ts";
import { type Graph, writeOnnx } from "../../../testing/onnx.ts";
import { kokoroGraph, piperContents } from "../../../testing/packages/families/voices.ts";
import { openGraph } from "../../../workers/onnx/session.ts";
import { withOutput } from "../../../workers/onnx/timed-graph.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-output-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (bytes: Uint8Array) => {
  const path = join(folder, `${Bun.hash(bytes)}.onnx`);
  writeFileSync(path, bytes);
  return path;
};

const DOUBLED: Graph = {
  inputs: [{ name: "x", type: "float32", shape: [2] }],
  outputs: [{ name: "y", type: "float32", shape: [2] }],
  nodes: [
    { op: "Ceil", inputs: ["x"], outputs: ["inside"] },
    { op: "Add", inputs: ["inside", "inside"], outputs: ["y"] },
  ],
};
const ceil = (nodes: Parameters<typeof onlyOutputOf>[0]) => onlyOutputOf(nodes, "Ceil");

test("the tensor is an output beside those that were there", async () => {
  const { model, output } = withOutput(fileOf(writeOnnx(DOUBLED)), ceil)!;
  expect(output).toBe("inside");
  const { session, Tensor } = await openGraph(model, {
    inputs: {},
    outputs: {},
    more: { inputs: [{ type: "float32", shape: [2] }], outputs: [] },
  });
  const { y, inside } = await session.run({ x: new Tensor("float32", Float32Array.of(0.5, 2), [2]) });
  expect([...(inside!.data as Float32Array)]).toEqual([1, 2]);
  expect([...(y!.data as Float32Array)]).toEqual([2, 4]);
});

test("one that is an output already is not named again", () => {
  const outputs = [...DOUBLED.outputs, { name: "inside", type: "float32" as const, shape: [2] }];
  const path = fileOf(writeOnnx({ ...DOUBLED, outputs }));
  expect(withOutput(path, ceil)).toEqual({ model: path, output: "inside" });
});

test("the durations of both voices are found", () => {
  expect(withOutput(fileOf(kokoroGraph()), findDurations)!.output).toBe("least");
  expect(withOutput(fileOf(piperContents().model!.bytes as Uint8Array), ceil)!.output).toBe("hops");
});

test("a graph with two of the node, with none, or no graph at all stays as it is", () => {
  const twice = { ...DOUBLED, nodes: [...DOUBLED.nodes, { op: "Ceil", inputs: ["y"], outputs: ["z"] }] };
  expect(withOutput(fileOf(writeOnnx(twice)), ceil)).toBeNull();
  expect(withOutput(fileOf(kokoroGraph()), ceil)).toBeNull();
  expect(withOutput(fileOf(Buffer.from("not a model at all")), ceil)).toBeNull();
});

test("a graph whose weights lie beside it stays as it is", () => {
  const constants = [{ name: "w", shape: [2], file: "weights.bin" }];
  expect(withOutput(fileOf(writeOnnx({ ...DOUBLED, constants })), ceil)).toBeNull();
});
