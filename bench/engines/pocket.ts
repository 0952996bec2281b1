/**
 * Pocket TTS on graphs of the real size, with two threads: the first sound for one caller and for four, and the speed of
 * one against that of sherpa-onnx on the same files.
 *
 * Its graphs never end a text by themselves, so that both speak as long as they may, and speeds are of what was spoken.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { readConfig } from "../../src/config/config.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { type Engine, openRegistry } from "../../src/engine/registry.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import { fileOf, type Installed, openModelStore } from "../../src/models/store/model-store.ts";
import { engineSpecs } from "../../src/server/engines/engine-specs.ts";
import { pocketConfig, sherpa } from "../../test/oracles/sherpa.ts";
import { recordingOf } from "../../testing/packages/families/pocket-files.ts";
import { median, type Row } from "../harness/row.ts";
import { installRealSize } from "../real-size/install.ts";

const PACKAGE = "pocket-tts-en-2026-01"; // the one that sherpa-onnx reads, too
const THREADS = 2;
const ROUNDS = 5;
const CALLERS = [1, 4];
const FRAMES = 80; // a little more than the text is given here
const TASK: SynthesisTask = {
  kind: "synthesis",
  text: "Hello there, how are you today?",
  speaker: "anna",
  language: "en",
  speed: 1,
  instructions: "",
};

export async function benchPocket(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  try {
    await installRealSize(folder, readPackages(readConfig({}).models.folder).get(PACKAGE)!, null);
    const store = openModelStore(folder);
    const threads = { LOQUAT_THREADS: String(THREADS), LOQUAT_DEVICE: "cpu" };
    await using registry = openRegistry(
      engineSpecs(readConfig({ LOQUAT_WEIGHTS: folder, ...threads }), store),
    );
    const engine = registry.engine(PACKAGE);
    await speak(engine); // opens the engine, and reads the voice
    return [...(await firstSounds(engine)), ...(await speeds(engine, store.list()[0]!))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Spoken = { firstMs: number; speed: number };

async function speak(engine: Engine): Promise<Spoken> {
  const begun = performance.now();
  let firstMs: number | null = null;
  let count = 0;
  const early = (samples: Float32Array) => {
    firstMs ??= performance.now() - begun;
    count += samples.length;
  };
  const rest = await engine.run(TASK, { ...soleClaim(), urgency: "streaming", early }).then(samplesOf);
  const ms = performance.now() - begun;
  return { firstMs: firstMs ?? ms, speed: speedOf(count + rest.length, ms) };
}

const speedOf = (samples: number, ms: number) => (samples / TTS_SAMPLE_RATE / ms) * 1000;

async function firstSounds(engine: Engine): Promise<Row[]> {
  const rows: Row[] = [];
  for (const callers of CALLERS) {
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const spoken = await Promise.all(Array.from({ length: callers }, () => speak(engine)));
      waits.push(...spoken.map(({ firstMs }) => firstMs));
    }
    const name = `Pocket TTS, first sound, ${callers} caller${callers === 1 ? "" : "s"}`;
    rows.push({ name, value: median(waits), unit: "ms" });
  }
  return rows;
}

async function speeds(engine: Engine, installed: Installed): Promise<Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const other = sherpa && openSherpa(sherpa, installed);
  other?.(); // reads the voice
  for (let round = 0; round < ROUNDS; round++) {
    ours.push((await speak(engine)).speed);
    if (other) theirs.push(other());
  }
  const name = "Pocket TTS, 1 caller";
  const alone: Row = { name, value: median(ours), unit: "x realtime" };
  if (!other) {
    process.stdout.write("  sherpa-onnx cannot be loaded here: its figures are left out\n");
    return [alone];
  }
  const ratio = median(ours.map((speed, round) => speed / theirs[round]!));
  return [
    alone,
    { name: `${name}, sherpa-onnx`, value: median(theirs), unit: "x realtime" },
    { name: `${name}, ratio to sherpa-onnx`, value: ratio, unit: "x", target: "at least 1" },
  ];
}

/** Returns times realtime of one text. */
function openSherpa({ OfflineTts, GenerationConfig }: NonNullable<typeof sherpa>, installed: Installed) {
  const tts = new OfflineTts(pocketConfig((role) => fileOf(installed, role)!, THREADS));
  const generationConfig = new GenerationConfig({
    referenceAudio: recordingOf(3, 2),
    referenceSampleRate: TTS_SAMPLE_RATE,
    numSteps: 1,
    silenceScale: 1,
    extra: { temperature: 0.7, max_frames: FRAMES, seed: 1 },
  });
  return (): number => {
    const begun = performance.now();
    const { samples } = tts.generate({ text: TASK.text, generationConfig });
    return speedOf(samples.length, performance.now() - begun);
  };
}
