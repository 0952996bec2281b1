/** Promise: the caches of the language model hold what its runs wrote, and of a run only that leaves the runtime where it can. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeOnnx } from "../../../../testing/onnx.ts";
import { mainGraph } from "../../../../testing/packages/families/pocket.ts";
import { LATENT, WIDTH } from "../../../../testing/packages/families/pocket-files.ts";
import { openRandom, weights } from "../../../../testing/packages/random.ts";
import { openGraph, type Tensor } from "../../../../workers/onnx/session.ts";
import { readBundle } from "../../../../workers/tts/pocket/bundle.ts";
import { openMain } from "../../../../workers/tts/pocket/main.ts";

const POSITIONS = 40;
const folder = mkdtempSync(join(tmpdir(), "loquat-pocket-main-"));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = weights(openRandom(1), 3 * WIDTH, 1);
const latent = weights(openRandom(2), LATENT, 1);

/** The caches as the graph itself returns them, run by run. */
async function plainly(path: string) {
  const ports = { type: "float32", shape: null } as const;
  const { session, Tensor } = await openGraph(path, {
    inputs: {},
    outputs: { conditioning: ports },
    more: {
      inputs: mainGraph({ positions: POSITIONS }).inputs.map(({ type }) => ({ type, shape: null })) as never,
      outputs: [],
    },
  });
  let states: Record<string, Tensor> = {};
  for (const { name, type, shape } of mainGraph({ positions: POSITIONS }).inputs) {
    if (!name.startsWith("state_")) continue;
    const sizes = shape as number[];
    const count = sizes.reduce((all, size) => all * size, 1);
    const values = type === "int64" ? new BigInt64Array(count) : new Float32Array(count);
    states[name] = new Tensor(type as "float32", values as Float32Array, sizes);
  }
  for (const [sequence, text] of [
    [new Float32Array(0), rows],
    [latent, new Float32Array(0)],
  ] as const) {
    const outputs = await session.run({
      sequence: new Tensor("float32", sequence, [1, sequence.length / LATENT, LATENT]),
      text_embeddings: new Tensor("float32", text, [1, text.length / WIDTH, WIDTH]),
      ...states,
    });
    states = Object.fromEntries(Object.keys(states).map((name) => [name, outputs[`out_${name}`] as Tensor]));
  }
  return states;
}

test.each([
  ["writes only its rows", false],
  ["also changes other rows", true],
])("of a graph that %s", async (_, rewrites) => {
  const path = join(folder, `${rewrites}.onnx`);
  writeFileSync(path, writeOnnx(mainGraph({ positions: POSITIONS, rewrites })));
  const main = await openMain(path, readBundle(undefined), { threads: 1, devices: [], shared: false });
  expect(main.hasRows).toBe(!rewrites);
  const read = await main.read(main.initial(), rows);
  const { states } = await main.follow(read, latent);
  const expected = await plainly(path);
  for (const { name } of main.steps) expect(states[name]!.data).toEqual(BigInt64Array.of(4n));
  for (const { name } of main.caches) expect(states[name]!.data).toEqual(expected[name]!.data);
});
