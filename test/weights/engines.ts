/** The engines that a measurement needs: one package in one of its variants, and all others as they are installed. */
import type { Config } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type EngineRegistry, openRegistry } from "../../src/engine/registry.ts";
import type { BoundVoice, Catalogue } from "../../src/models/catalogue.ts";
import { filesOf } from "../../src/models/packages/package.ts";
import { catalogueReader } from "../../src/models/store/installed-catalogue.ts";
import { type Installed, type ModelStore, openModelStore } from "../../src/models/store/model-store.ts";
import { engineSpecs } from "../../src/server/engines/engine-specs.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { synthesize } from "../../src/speech/synthesize.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { joined } from "../../src/transcription/transcript.ts";

/** How much is measured. */
export type Extent = { sentences: number; languages: number; recordings: number };

export type Measuring = {
  installed: Installed;
  store: ModelStore;
  catalogue: Catalogue;
  registry: EngineRegistry;
  extent: Extent;
  /** Megabytes that this process has grown since before the first engine was opened. */
  grownMb(): number;
};

/** The store, where `installed` is the first of its task, and has the files of one variant only. */
function withFirst(store: ModelStore, installed: Installed): ModelStore {
  const { name } = installed.package;
  return {
    installed: (asked) => (asked === name ? installed : store.installed(asked)),
    list: () => [installed, ...store.list().filter((other) => other.package.name !== name)],
    damaged: store.damaged,
  };
}

export function openMeasuring(
  config: Config,
  { name, variant, extent }: { name: string; variant: string | null; extent: Extent },
): Measuring & AsyncDisposable {
  const all = openModelStore(config.models.weights);
  const found = all.installed(name);
  if (!found) throw new Error(`${name} is not installed`);
  const installed = { ...found, package: { ...found.package, files: filesOf(found.package, variant) } };
  const store = withFirst(all, installed);
  const registry = openRegistry(engineSpecs(config, store));
  const before = process.memoryUsage.rss();
  return {
    installed,
    store,
    catalogue: catalogueReader(config.models, { store, embedded: installedFamilies })(),
    registry,
    extent,
    grownMb: () => Math.max(0, process.memoryUsage.rss() - before) / 1e6,
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

type Utterance = { voice: Pick<BoundVoice, "engine" | "speaker" | "language" | "locale">; text: string };
/** Samples at the rate of synthesis, and the milliseconds to the first and to the last of them. */
type Speech = { samples: Float32Array; firstMs: number; lastMs: number };

export async function speak(
  registry: EngineRegistry,
  { voice, text }: Utterance,
  spoken: string,
): Promise<Speech> {
  const { engine, speaker } = voice;
  const language = spoken === voice.language ? voice.locale : spoken;
  const request = { engine, speaker, text, language, speed: 1, instructions: "", claim: soleClaim() };
  const begun = performance.now();
  const parts: Float32Array[] = [];
  let firstMs = 0;
  for await (const part of synthesize(registry.engine(engine), request, planSpeech(text, language))) {
    firstMs ||= performance.now() - begun;
    parts.push(part);
  }
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { samples, firstMs, lastMs: performance.now() - begun };
}

/** Of samples at 16 kHz, which are copied. */
export async function recognizedText(
  registry: EngineRegistry,
  engine: string,
  recording: { samples: Float32Array; language: string },
): Promise<string> {
  const { samples, language } = recording;
  const recognition = { samples: samples.slice(), spans: null, language, prompt: "", claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(registry.engine(engine), recognition));
  return joined(hypotheses.flatMap(({ words }) => words));
}
