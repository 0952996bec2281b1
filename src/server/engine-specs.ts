/** How each engine is started, by its name: the embedded ones, and those of the packages on the shelf. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { devicesFor, type Gpu } from "../engine/devices.ts";
import { installedSilero } from "../engine/installed.ts";
import { openProcessPool } from "../engine/process-pool.ts";
import type { G2pTask } from "../engine/protocol/g2p.ts";
import type { EngineSpec } from "../engine/registry.ts";
import type { Runner, RunnerOptions } from "../engine/runner.ts";
import { openThreadPool } from "../engine/thread-pool.ts";
import type { EngineData, Family } from "../models/package.ts";
import { fileOf, type Installed, type ModelStore } from "../models/store/model-store.ts";
import { withPhonemes } from "../speech/with-phonemes.ts";

export const worker = (name: string) => new URL(`../../workers/${name}.ts`, import.meta.url);

/** Live talk has threads of its own where an engine cannot hear several at once: a long file must not keep it waiting. */
export const liveName = (name: string) => (name === "sphinx" ? "sphinx-live" : name);

export function engineSpecs(config: Config, store: ModelStore): (name: string) => EngineSpec {
  const embedded = embeddedSpecs(config.engine.threads);
  const devices = devicesFor(config.engine.device);
  return (name) => {
    if (name === "phonemes") return g2pSpec(config, store.installed("misaki-en")?.folder ?? null);
    const own = embedded[name];
    if (own) return { key: name, idleMs: null, ...own };
    const installed = store.installed(name);
    if (!installed) throw new Error(`no engine is called ${name}`);
    return packageSpec(installed, {
      engine: config.engine,
      devices,
      silero: sileroOf(config, store),
    });
  };
}

function embeddedSpecs(size: number): Record<string, Pick<EngineSpec, "options" | "start">> {
  const threads = (name: string, queueMax: number) => ({
    options: { size, queueMax },
    start: (options: RunnerOptions): Runner => openThreadPool(worker(name), options),
  });
  const processes = (name: string, options: RunnerOptions) => ({
    options,
    start: (given: RunnerOptions): Runner => openProcessPool(worker(name), given),
  });
  return {
    flite: threads("tts/flite/flite", 64 * size),
    espeak: processes("tts/espeak/espeak", { size, queueMax: 64 * size }),
    plan: {
      options: { size: Math.ceil(size / 4), queueMax: 1024 },
      start: (given) => openThreadPool(worker("tts/plan"), given),
    },
    sphinx: threads("asr/pocketsphinx/pocketsphinx", 16 * size),
    "sphinx-live": threads("asr/pocketsphinx/pocketsphinx", 1024),
  };
}

/** With a folder of English dictionaries, where they are installed: other dictionaries are for other processes. */
function g2pSpec({ engine }: Config, dictionaries: string | null): EngineSpec {
  const args = dictionaries === null ? [] : [dictionaries];
  return {
    key: ["phonemes", ...args].join(" of "),
    idleMs: engine.idleMs,
    options: { size: Math.ceil(engine.threads / 4), queueMax: 4096 },
    start: (options) => openProcessPool(worker("g2p/g2p"), { ...options, args }),
  };
}

/**
 * How a family runs: its worker, how many tasks a thread takes at once, which phonemes it reads, where it does. A lone one
 * has one thread, which holds the state of what it hears.
 */
type FamilySpec = { worker: string; together: number; alphabet?: G2pTask["alphabet"]; lone?: true };

const FAMILIES: Partial<Record<Family, FamilySpec>> = {
  kokoro: { worker: "tts/kokoro/kokoro", together: 1, alphabet: "kokoro" },
  vits: { worker: "tts/piper/piper", together: 1, alphabet: "ipa" },
  supertonic: { worker: "tts/supertonic/supertonic", together: 8 },
  nemo: { worker: "asr/nemo/nemo", together: 8 },
  "nemo-streaming": { worker: "asr/nemo/nemo-streaming", together: 8, lone: true },
  whisper: { worker: "asr/whisper/whisper", together: 8 },
  "smart-turn": { worker: "turn/smart-turn", together: 1 },
};

const THREADS_OF_A_SESSION = 4; // more gain little for one clip, and a second session gains more
const QUEUE_MAX = 1024;

/** Silero's file: of the package, or put there by hand. */
export const sileroOf = ({ models }: Config, store: ModelStore) =>
  fileOf(store.installed("silero-vad"), "model") ?? installedSilero(models.weights);

type Surroundings = Pick<Config, "engine"> & {
  devices: readonly Gpu[];
  silero: string | null;
};

function packageSpec(
  { package: own, folder }: Installed,
  { engine, devices, silero }: Surroundings,
): EngineSpec {
  const how = FAMILIES[own.family];
  if (!how) throw new Error(`${own.name} is no engine: it is a part of others`);
  const threads = Math.min(engine.threads, THREADS_OF_A_SESSION);
  const size = devices.length > 0 || how.lone ? 1 : Math.max(1, Math.floor(engine.threads / threads));
  const shared = size > 1 && own.files.some(({ role }) => role.endsWith("-data"));
  const files = Object.fromEntries(own.files.map(({ role, path }) => [role, join(folder, path)]));
  const data: EngineData<Family> = {
    files,
    options: own.options,
    silero,
    placement: { threads, devices, shared },
  };
  return {
    key: folder,
    idleMs: engine.idleMs,
    options: { size: size * how.together, queueMax: QUEUE_MAX, reserved: how.together > 2 ? 2 * size : 0 },
    start(options, registry) {
      const pool = openThreadPool(worker(how.worker), { ...options, size, together: how.together, data });
      if (!how.alphabet) return pool;
      const voice = files.config ? espeakVoiceOf(files.config) : null;
      return withPhonemes(pool, registry.engine("phonemes"), { alphabet: how.alphabet, voice });
    },
  };
}

/** A voice of Piper's was trained on one language's phonemes, and says which. */
function espeakVoiceOf(path: string): string {
  const { espeak }: { espeak: { voice: string } } = JSON.parse(readFileSync(path, "utf8"));
  return espeak.voice;
}
