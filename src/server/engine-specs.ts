/** How each engine is started, by its name: embedded families, installed packages, text planning and phonemes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { devicesFor, type Gpu } from "../engine/devices.ts";
import { EMBEDDED_FAMILIES, type EmbeddedEntry, familyOf } from "../engine/families/families.ts";
import { manualSilero } from "../engine/families/installed.ts";
import { openFirst } from "../engine/first-runner.ts";
import { openProcessPool } from "../engine/process-pool.ts";
import type { EngineData } from "../engine/protocol/engine-data.ts";
import type { EngineSpec } from "../engine/registry.ts";
import type { RunnerOptions } from "../engine/runner.ts";
import { audioSecondsOf } from "../engine/speed/audio-seconds.ts";
import { openThreadPool } from "../engine/thread-pool.ts";
import { type FileSet, fileSetsOf } from "../models/file-sets.ts";
import type { PackageFile } from "../models/package.ts";
import { fileOf, type Installed, installedFor, type ModelStore } from "../models/store/model-store.ts";
import { devicesOf } from "../models/variants.ts";
import { type Pronunciation, withPhonemes } from "../speech/with-phonemes.ts";
import { withoutTags } from "../speech/without-tags.ts";

export const worker = (name: string) => new URL(`../../workers/${name}.ts`, import.meta.url);

const PLAN = "plan";
const PHONEMES = "phonemes";

/** The engine that recognizes live sessions: some families have a pool of their own for them. */
export const liveName = (name: string) =>
  EMBEDDED_FAMILIES[name]?.liveQueueMax === undefined ? name : `${name}-live`;

/** Silero's file: of an installed package, or put among the weights by hand. */
export const sileroOf = ({ models }: Config, store: ModelStore) =>
  fileOf(installedFor(store, "voice-activity"), "model") ?? manualSilero(models.weights);

export function engineSpecs(config: Config, store: ModelStore): (name: string) => EngineSpec {
  const ownSpecs = new Map(serverSpecs(config.engine.threads));
  const devices = devicesFor(config.engine.device);
  return (name) => {
    if (name === PHONEMES) return g2pSpec(config, installedFor(store, "pronunciation")?.folder ?? null);
    const own = ownSpecs.get(name);
    if (own) return { key: name, idleMs: null, ...own };
    const installed = store.installed(name);
    if (!installed) throw new Error(`there is no engine ${name}`);
    return packageSpec(installed, { engine: config.engine, devices, silero: sileroOf(config, store) });
  };
}

type OwnSpec = Pick<EngineSpec, "options" | "start">;

/** What runs without a package: embedded families and text planning. */
function serverSpecs(size: number): [name: string, OwnSpec][] {
  const plan: OwnSpec = {
    options: { size: Math.ceil(size / 4), queueMax: 1024 },
    start: (options) => openThreadPool(worker("tts/plan"), options),
  };
  const embedded = Object.entries(EMBEDDED_FAMILIES).flatMap(([name, family]): [string, OwnSpec][] => {
    const { queueMax, liveQueueMax } = family;
    const own: [string, OwnSpec] = [name, embeddedSpec(family, { size, queueMax: queueMax * size })];
    return liveQueueMax === undefined
      ? [own]
      : [own, [liveName(name), embeddedSpec(family, { size, queueMax: liveQueueMax })]];
  });
  return [[PLAN, plan], ...embedded];
}

const embeddedSpec = ({ worker: path, runsIn }: EmbeddedEntry, options: RunnerOptions): OwnSpec => ({
  options,
  start: (options) =>
    withoutTags((runsIn === "threads" ? openThreadPool : openProcessPool)(worker(path), options)),
});

/** With a folder of English dictionaries, where they are installed; other dictionaries need other processes. */
function g2pSpec({ engine }: Config, dictionaries: string | null): EngineSpec {
  const args = dictionaries === null ? [] : [dictionaries];
  return {
    key: [PHONEMES, ...args].join(" of "),
    idleMs: engine.idleMs,
    options: { size: Math.ceil(engine.threads / 4), queueMax: 4096 },
    start: (options) => openProcessPool(worker("g2p/g2p"), { ...options, args }),
  };
}

const SESSION_THREADS = 4; // more gain little for one clip; a second session gains more
const QUEUE_MAX = 1024;

type PackageContext = Pick<Config, "engine"> & {
  devices: readonly Gpu[];
  silero: string | null;
};

function packageSpec(
  { package: own, folder }: Installed,
  { engine, silero, ...rest }: PackageContext,
): EngineSpec {
  const { task, worker: path, concurrency, stateful, expressionTags } = familyOf(own.family);
  if (path === null) throw new Error(`${own.name} is not an engine: other engines use its files`);
  const sets = fileSetsOf(own, devicesOf(own, rest.devices).length > 0 ? "gpu" : "cpu");
  const devicesIn = ({ files }: FileSet) => devicesOf({ variants: own.variants, files }, rest.devices);
  const threads = Math.min(engine.threads, SESSION_THREADS);
  const isPlaced = devicesIn(sets[0]!).length > 0;
  const size = isPlaced || stateful ? 1 : Math.max(1, Math.floor(engine.threads / threads));
  const openSet = (set: FileSet, options: RunnerOptions) => {
    const { files } = set;
    const shared = size > 1 && files.some(({ role }) => role.endsWith("-data"));
    const data: EngineData = {
      files: pathsOf(files, folder),
      options: own.options,
      silero,
      placement: { threads, devices: devicesIn(set), shared },
    };
    return openThreadPool(worker(path), { ...options, size, concurrency, data });
  };
  const warn = (reason: Error, at: number) =>
    process.emitWarning(
      `${own.name}: ${sets[at]!.variant} cannot be opened, ${sets[at + 1]!.variant} is used: ${reason.message}`,
    );
  return {
    key: folder,
    idleMs: engine.idleMs,
    audioSeconds: audioSecondsOf(task),
    options: { size: size * concurrency, queueMax: QUEUE_MAX, reserved: concurrency > 2 ? 2 * size : 0 },
    start(options, registry) {
      const openers = sets.map((set) => () => openSet(set, options));
      const pool = openFirst(openers, warn);
      const pronunciation = pronunciationOf({ package: own, folder });
      if (!pronunciation) return expressionTags ? pool : withoutTags(pool);
      return withoutTags(withPhonemes(pool, registry.engine(PHONEMES), pronunciation));
    },
  };
}

/** How the engine of a package pronounces text; null for one that reads letters. */
export function pronunciationOf({ package: own, folder }: Pick<Installed, "package" | "folder">) {
  const { alphabet } = familyOf(own.family);
  if (!alphabet) return null;
  const { config } = pathsOf(own.files, folder);
  return { alphabet, voice: config ? espeakVoiceOf(config) : null } satisfies Pronunciation;
}

const pathsOf = (files: PackageFile[], folder: string): EngineData["files"] =>
  Object.fromEntries(files.map(({ role, path }) => [role, join(folder, path)]));

/** A Piper voice was trained on the phonemes of one language, which its configuration names. */
function espeakVoiceOf(path: string): string {
  const { espeak }: { espeak: { voice: string } } = JSON.parse(readFileSync(path, "utf8"));
  return espeak.voice;
}
