/**
 * Costs of graphs beside their arithmetic: Silero over a hundred streams in one run, and the memory of several threads
 * with the same weights.
 */
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WEIGHTS } from "../../test/clips.ts";
import { writeOnnx } from "../../testing/onnx.ts";
import { openGraph } from "../../workers/onnx/session.ts";
import { openSilero } from "../../workers/vad/silero.ts";
import { median, type Row, timed } from "../harness/row.ts";

const STREAMS = 100;
const ROUNDS = 31;
const WINDOW_MS = 32;
const SIZE = 8192; // a matrix of 256 MiB
const THREADS = 2;

export async function benchGraphs(): Promise<Row[]> {
  return [...(await silero()), ...(await memory())];
}

async function silero(): Promise<Row[]> {
  const path = join(WEIGHTS, "silero-vad", "silero_vad.onnx");
  if (!existsSync(path)) {
    process.stdout.write("  without the Silero weights: that figure is left out\n");
    return [];
  }
  const detector = await openSilero(path);
  const streams = Array.from({ length: STREAMS }, () => detector.open());
  const windows = streams.map((_, index) =>
    Float32Array.from({ length: 512 }, (_, n) => Math.sin(n * index) * 0.1),
  );
  const together: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    together.push(await timed(() => detector.detect(streams, windows)));
    alone.push(
      await timed(async () => {
        for (const [index, stream] of streams.entries()) await detector.detect([stream], [windows[index]!]);
      }),
    );
  }
  return [
    {
      name: `Silero, a window of ${STREAMS} streams in one run`,
      value: median(together),
      unit: `ms of ${WINDOW_MS}`,
    },
    { name: "one by one / in one run", value: median(alone) / median(together), unit: "x" },
  ];
}

/** Private memory of a process whose threads hold the same matrix, which lies beside the graph. */
async function memory(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-graphs-"));
  try {
    writeMatrix(folder);
    const separate = await privateMib(folder, false);
    const shared = await privateMib(folder, true);
    return [
      {
        name: `${THREADS} threads of one model of 256 MiB, private memory, shared weights`,
        value: shared,
        unit: "MiB",
      },
      { name: "the same without sharing", value: separate, unit: "MiB" },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeMatrix(folder: string): void {
  const file = openSync(join(folder, "weights.data"), "w");
  const row = Float32Array.from({ length: SIZE }, (_, index) => Math.sin(index) / SIZE);
  for (let index = 0; index < SIZE; index++) writeSync(file, row);
  const graph = writeOnnx({
    inputs: [{ name: "x", type: "float32", shape: ["N", SIZE] }],
    outputs: [{ name: "y", type: "float32", shape: ["N", SIZE] }],
    nodes: [{ op: "MatMul", inputs: ["x", "weights"], outputs: ["y"] }],
    constants: [{ name: "weights", shape: [SIZE, SIZE], file: "weights.data" }],
  });
  writeFileSync(join(folder, "model.onnx"), graph);
}

/** In its own process: this file again, with the folder for an argument. */
async function privateMib(folder: string, shared: boolean): Promise<number> {
  const child = Bun.spawn([process.execPath, import.meta.path, folder, String(shared)], { stdout: "pipe" });
  return Number(await child.stdout.text());
}

if (import.meta.main) {
  const [folder, shared] = process.argv.slice(2) as [string, string];
  for (let thread = 0; thread < THREADS; thread++) {
    const { session, Tensor } = await openGraph(
      join(folder, "model.onnx"),
      { inputs: { x: { type: "float32", shape: [null, SIZE] } }, outputs: {} },
      { threads: 1, devices: [], shared: shared === "true" },
    );
    await session.run({ x: new Tensor("float32", new Float32Array(SIZE * 4), [4, SIZE]) });
  }
  const status = await Bun.file("/proc/self/status").text();
  process.stdout.write(String(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024));
  process.exit(0);
}
