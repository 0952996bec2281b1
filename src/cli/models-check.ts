/**
 * `loquat models check` and `bench`: does what is installed open as what it says it is, and how fast does it run here.
 *
 * Both start the engine as the server would. A wrong export is refused by name when its graph opens.
 */

import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { type Config, readConfig } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import { type FamilyTask, familyOf } from "../engine/families/families.ts";
import type { SynthesisTask } from "../engine/protocol/synthesis.ts";
import { type Engine, openRegistry } from "../engine/registry.ts";
import { soleClaim } from "../engine/scheduler.ts";
import type { Package } from "../models/package.ts";
import { type Installed, openModelStore } from "../models/store/model-store.ts";
import { engineSpecs } from "../server/engine-specs.ts";
import { planSpeech } from "../speech/plan.ts";
import { synthesize } from "../speech/synthesize.ts";
import { recognize } from "../transcription/recognize.ts";
import { installedPackages, type Surroundings } from "./models.ts";
import { printLine, printTable } from "./output.ts";

const TEXT =
  "The quick brown fox jumps over the lazy dog. It was a bright cold day in April, and the clocks were striking thirteen.";

type Ran = { seconds: number; audioSeconds: number; firstSeconds: number };

export async function checkModels(names: string[], { weights }: Surroundings): Promise<void> {
  for (const installed of installedPackages(weights, names)) {
    const { name, published } = installed.package;
    try {
      const ran = await run(installed, readConfig());
      printLine(`opens    ${name}${ran ? "" : " (a part of others: they check it)"}`);
      if (published) printLine(`         published: ${published}`);
    } catch (error) {
      printLine(`refused  ${name}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}

export async function benchModels(names: string[], { weights, flags }: Surroundings): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  const config = readConfig();
  for (const installed of installedPackages(weights, names)) {
    await run(installed, config); // the first run warms it up
    const ran = await run(installed, config);
    if (!ran) continue;
    rows.push({
      name: installed.package.name,
      device: [...devicesFor(config.engine.device), "cpu"].join(", else "),
      threads: config.engine.threads,
      "realtime factor": (ran.seconds / ran.audioSeconds).toFixed(3),
      "first result": `${Math.round(ran.firstSeconds * 1000)} ms`,
    });
  }
  if (flags.json) return printLine(JSON.stringify({ object: "list", data: rows }, null, 2));
  printTable(rows, ["name", "device", "threads", "realtime factor", "first result"]);
}

type Check = (engine: Engine, own: Package) => Promise<Ran>;

/** By what a family does; the others have no check of their own. */
const CHECKS: Partial<Record<FamilyTask, Check>> = {
  synthesis: speakOnce,
  recognition: hearOnce,
  "streaming-recognition": hearOnce,
};

/** Null: packages of this family are checked by the engines that use them. */
async function run({ package: own }: Installed, config: Config): Promise<Ran | null> {
  const check = CHECKS[familyOf(own.family).task];
  if (!check) return null;
  await using registry = openRegistry(engineSpecs(config, openModelStore(config.models.weights)));
  return await check(registry.engine(own.name), own);
}

async function speakOnce(engine: Engine, { name, files }: Package): Promise<Ran> {
  const speaker = files.find(({ role }) => role.startsWith("voice-"))?.role.slice("voice-".length) ?? "0";
  const task: SynthesisTask = { text: TEXT, speaker, language: "en-US", speed: 1, instructions: "" };
  await engine.run({ ...task, text: "Ready." }, soleClaim());
  const utterance = { ...task, engine: name, claim: soleClaim() };
  const begun = performance.now();
  let firstSeconds = 0;
  let samples = 0;
  for await (const part of synthesize(engine, utterance, planSpeech(TEXT, task.language))) {
    firstSeconds ||= (performance.now() - begun) / 1000;
    samples += part.length;
  }
  if (samples === 0) throw new Error("it says nothing");
  return {
    seconds: (performance.now() - begun) / 1000,
    audioSeconds: samples / TTS_SAMPLE_RATE,
    firstSeconds,
  };
}

/** Ten seconds of a hum: what is heard does not matter, but all of it is run. */
async function hearOnce(engine: Engine): Promise<Ran> {
  const audioSeconds = 10;
  const hum = () =>
    Float32Array.from(
      { length: audioSeconds * ASR_SAMPLE_RATE },
      (_, at) => 0.1 * Math.sin(at / 9) * Math.sin(at / 3000),
    );
  const hearOf = (samples: Float32Array) =>
    Array.fromAsync(
      recognize(engine, {
        samples,
        spans: [{ start: 0, end: samples.length }],
        language: "en",
        prompt: "",
        claim: soleClaim(),
      }),
    );
  await hearOf(hum().slice(0, ASR_SAMPLE_RATE));
  const begun = performance.now();
  await hearOf(hum());
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, audioSeconds, firstSeconds: seconds };
}
