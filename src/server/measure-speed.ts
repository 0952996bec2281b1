/**
 * How fast a package's engine is on this machine: one run over a fixed text, or over a recording of it, after a short one
 * that loads the engine. Takes seconds; a slow engine is stopped after twenty.
 */
import { joinAll } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { resample } from "../audio/resample.ts";
import { soleClaim } from "../engine/claim.ts";
import { devicesFor } from "../engine/devices.ts";
import { familyOf } from "../engine/families/families.ts";
import { installedFamilies } from "../engine/families/installed.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import type { Package } from "../models/packages/package.ts";
import { keepSpeed, ranOf } from "../models/store/measured-speeds.ts";
import type { InstalledPackages } from "../models/store/model-store.ts";
import { planSpeech } from "../speech/plan.ts";
import { synthesize } from "../speech/synthesize.ts";
import { recognize } from "../transcription/recognize.ts";

/** A few seconds of speech. */
export const TRIAL_TEXT =
  "The quick brown fox jumps over the lazy dog. It was a bright cold day in April, and the clocks were striking thirteen.";
const LANGUAGE = "en-US";
const LIMIT_MS = 20_000;
const SPEAKER = { engine: "flite", speaker: "slt" }; // of the recording: its voice needs no package

type Engines = Pick<EngineRegistry, "engine">;

/** A run of an engine: how long it took and the audio that it made or read. */
type Run = { ms: number; seconds: number };

type Here = {
  weights: string;
  store: InstalledPackages;
  registry: Engines;
  device: Parameters<typeof devicesFor>[0];
};

/** Measures an installed package and keeps its speed in the model store. Null where there is nothing to measure. */
export async function measureSpeed(
  name: string,
  { weights, store, registry, device }: Here,
): Promise<number | null> {
  const installed = store.installed(name);
  const speed = installed && (await speedOf(installed.package, registry));
  if (!speed) return null;
  const hasGpu = devicesFor(device).length > 0;
  keepSpeed(weights, ranOf(installed.package, hasGpu ? "gpu" : "cpu"), { speed, hasGpu });
  return speed;
}

async function speedOf(pkg: Package, registry: Engines): Promise<number | null> {
  const runs = runsOf(pkg, registry);
  if (runs === null) return null;
  const first = await runs("Ready.");
  const { ms, seconds } = first.ms > LIMIT_MS ? first : await runs(TRIAL_TEXT);
  return seconds > 0 ? (seconds * 1000) / ms : null;
}

function runsOf(pkg: Package, registry: Engines): ((text: string) => Promise<Run>) | null {
  switch (familyOf(pkg.family).task) {
    case "synthesis":
      return (text) => speak(registry, { text, engine: pkg.name, speaker: speakerOf(pkg) });
    case "recognition":
    case "streaming-recognition":
      return installedFamilies().has(SPEAKER.engine) ? (text) => listen(text, pkg, registry) : null;
    default:
      return null;
  }
}

/** One of the speakers of a package, as its engine names them. */
export const speakerOf = ({ files, voices }: Package): string =>
  voices?.[0]?.speaker ??
  files.find(({ role }) => role.startsWith("voice-"))?.role.slice("voice-".length) ??
  "0";

type Spoken = { text: string; engine: string; speaker: string };
type Kept = (samples: Float32Array) => void;

/** Leaves the rest of the text unspoken once the time is up. */
async function speak(registry: Engines, spoken: Spoken, keep: Kept = () => {}): Promise<Run> {
  const request = { ...spoken, language: LANGUAGE, speed: 1, instructions: "", claim: soleClaim() };
  const begun = performance.now();
  let samples = 0;
  for await (const chunk of synthesize(
    registry.engine(spoken.engine),
    request,
    planSpeech(spoken.text, LANGUAGE),
  )) {
    samples += chunk.length;
    keep(chunk);
    if (performance.now() - begun > LIMIT_MS) break;
  }
  return { ms: performance.now() - begun, seconds: samples / TTS_SAMPLE_RATE };
}

async function listen(text: string, { name }: Package, registry: Engines): Promise<Run> {
  const chunks: Float32Array[] = [];
  await speak(registry, { ...SPEAKER, text }, (chunk) => chunks.push(chunk));
  const samples = resample(joinAll(chunks), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
  const spans = [{ start: 0, end: samples.length }];
  const seconds = samples.length / ASR_SAMPLE_RATE;
  const recording = { samples, spans, language: "en", prompt: "", claim: soleClaim() };
  const begun = performance.now();
  await Array.fromAsync(recognize(registry.engine(name), recording));
  return { ms: performance.now() - begun, seconds };
}
