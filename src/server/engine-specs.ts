/** How each engine is started, by its name: embedded families, installed packages, text planning and phonemes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import { devicesFor, type Gpu } from "../engine/devices.ts";
import { EMBEDDED_FAMILIES, type EmbeddedEntry, familyOf, liveName } from "../engine/families/families.ts";
import { manualSilero } from "../engine/families/installed.ts";
import { openFirst } from "../engine/first-runner.ts";
import { openProcessPool } from "../engine/process-pool.ts";
import type { EngineData } from "../engine/protocol/engine-data.ts";
import type { EngineSpec } from "../engine/registry.ts";
import { type Runner, type RunnerOptions, shared } from "../engine/runner.ts";
import { audioSecondsOf } from "../engine/speed/audio-seconds.ts";
import { openThreadPool } from "../engine/thread-pool.ts";
import { type FileSet, fileSetsOf } from "../models/packages/file-sets.ts";
import type { PackageFile } from "../models/packages/package.ts";
import { devicesOf } from "../models/packages/variants.ts";
import { fileOf, type Installed, installedFor, type ModelStore } from "../models/store/model-store.ts";
import { worker } from "../resources.ts";
import { type Pronunciation, withPhonemes } from "../speech/with-phonemes.ts";
import { withoutTags } from "../speech/without-tags.ts";

const PLAN = "plan";
const PHONEMES = "phonemes";

/** Whether an engine that needs no package can run on this node. */
export const isOwnEngine = (name: string, embedded: ReadonlySet<string>): boolean =>
  name === PLAN ||
  name === PHONEMES ||
  embedded.has(name) ||
  [...embedded].some((each) => liveName(each) === name);

/** Silero's file: of an installed package, or put among the weights by hand. */
export const sileroOf = ({ models }: Config, store: ModelStore) =>
  fileOf(installedFor(store, "voice-activity"), "model") ?? manualSilero(models.weights);

export function engineSpecs(
  config: Config,
  store: ModelStore,
  ended: WorkerEnded = () => {},
): (name: string) => EngineSpec {
  const ownSpecs = new Map(serverSpecs(config.engine, ended));
  const devices = devicesFor(config.engine.device);
  return (name) => {
    if (name === PHONEMES) return g2pSpec(config, store, ended);
    const spec = ownSpecs.get(name);
    if (spec) return { key: name, idleMs: null, ...spec };
    const installed = store.installed(name);
    if (!installed) throw new Error(`there is no engine ${name}`);
    return packageSpec(installed, { engine: config.engine, devices, silero: sileroOf(config, store), ended });
  };
}

type OwnSpec = Pick<EngineSpec, "options" | "start">;

/** What runs without a package: embedded families and text planning. */
function serverSpecs(engine: Config["engine"], ended: WorkerEnded): [name: string, OwnSpec][] {
  const plan: OwnSpec = {
    options: { size: Math.ceil(engine.threads / 4), queueMax: 1024, ended },
    start: (options) => openThreadPool(worker("tts/plan"), options),
  };
  const embedded = Object.entries(EMBEDDED_FAMILIES).flatMap(([name, family]) =>
    embeddedSpecs(name, family, { engine, ended }),
  );
  return [[PLAN, plan], ...embedded];
}

type EmbeddedContext = Pick<Config, "engine"> & { ended: WorkerEnded };

/** Live sessions queue apart from recordings, but both use the same threads, so that one at a time needs one. */
function embeddedSpecs(
  name: string,
  family: EmbeddedEntry,
  { engine, ended }: EmbeddedContext,
): [name: string, OwnSpec][] {
  const { threads: size, idleMs } = engine;
  const { queueMax, liveQueueMax } = family;
  const start = (options: RunnerOptions) => withoutTags(openEmbedded(family, options, idleMs));
  const options = { size, queueMax: queueMax * size, ended };
  if (liveQueueMax === undefined) return [[name, { options, start }]];
  const both = shared(() => start({ ...options, size: 2 * size }));
  return [
    [name, { options, start: both }],
    [liveName(name), { options: { ...options, queueMax: liveQueueMax }, start: both }],
  ];
}

const EMBEDDED_IDLE_MS = 120_000; // PocketSphinx loads again in half a second

function openEmbedded(
  { worker: path, runsIn }: EmbeddedEntry,
  options: RunnerOptions,
  idleMs: number | null,
): Runner {
  if (runsIn === "processes") return openProcessPool(worker(path), options);
  const data = { idleMs: idleMs && Math.min(idleMs, EMBEDDED_IDLE_MS) };
  return openThreadPool(worker(path), { ...options, sizeMin: 1, data });
}

/** With a folder of English dictionaries, where they are installed; other files need other processes. */
function g2pSpec({ engine }: Config, store: ModelStore, ended: WorkerEnded): EngineSpec {
  const dictionaries = installedFor(store, "pronunciation")?.folder;
  const args = dictionaries === undefined ? [] : [dictionaries];
  return {
    key: [PHONEMES, ...args, store.installed("espeak-ng")?.folder ?? []].flat().join(" of "),
    idleMs: engine.idleMs,
    options: { size: Math.ceil(engine.threads / 4), queueMax: 4096, ended },
    start: (options) => openProcessPool(worker("g2p/g2p"), { ...options, args }),
  };
}

const SESSION_THREADS = 4; // more gain little for one clip; a second session gains more
const QUEUE_MAX = 1024;

type PackageContext = Pick<Config, "engine"> & {
  devices: readonly Gpu[];
  silero: string | null;
  ended: WorkerEnded;
};

function packageSpec(
  { package: pkg, folder }: Installed,
  { engine, silero, ended, ...rest }: PackageContext,
): EngineSpec {
  const { task, worker: path, concurrency, stateful, expressionTags } = familyOf(pkg.family);
  if (path === null) throw new Error(`${pkg.name} is not an engine: other engines use its files`);
  const sets = fileSetsOf(pkg, devicesOf(pkg, rest.devices).length > 0 ? "gpu" : "cpu");
  const devicesIn = ({ files }: FileSet) => devicesOf({ variants: pkg.variants, files }, rest.devices);
  const threads = Math.min(engine.threads, SESSION_THREADS);
  const isPlaced = devicesIn(sets[0]!).length > 0;
  const size = isPlaced || stateful ? 1 : Math.max(1, Math.floor(engine.threads / threads));
  const openSet = (set: FileSet, options: RunnerOptions) => {
    const { files } = set;
    const shared = size > 1 && files.some(({ role }) => role.endsWith("-data"));
    const data: EngineData = {
      files: pathsOf(files, folder),
      options: pkg.options,
      silero,
      placement: { threads, devices: devicesIn(set), shared },
    };
    return openThreadPool(worker(path), { ...options, size, concurrency, data });
  };
  const warn = (reason: Error, at: number) =>
    process.emitWarning(
      `${pkg.name}: ${sets[at]!.variant} cannot be opened, ${sets[at + 1]!.variant} is used: ${reason.message}`,
    );
  return {
    key: folder,
    idleMs: engine.idleMs,
    audioSeconds: audioSecondsOf(task),
    options: {
      size: size * concurrency,
      queueMax: QUEUE_MAX,
      reserved: concurrency > 2 ? 2 * size : 0,
      ended,
    },
    start(options, registry) {
      const openers = sets.map((set) => () => openSet(set, options));
      const pool = openFirst(openers, warn);
      const pronunciation = pronunciationOf({ package: pkg, folder });
      if (!pronunciation) return expressionTags ? pool : withoutTags(pool);
      return withoutTags(withPhonemes(pool, registry.engine(PHONEMES), pronunciation));
    },
  };
}

/** How the engine of a package pronounces text; null for one that reads letters. */
export function pronunciationOf({ package: pkg, folder }: Pick<Installed, "package" | "folder">) {
  const { alphabet } = familyOf(pkg.family);
  if (!alphabet) return null;
  const { config } = pathsOf(pkg.files, folder);
  return { alphabet, voice: config ? espeakVoiceOf(config) : null } satisfies Pronunciation;
}

const pathsOf = (files: PackageFile[], folder: string): EngineData["files"] =>
  Object.fromEntries(files.map(({ role, path }) => [role, join(folder, path)]));

/** A Piper voice was trained on the phonemes of one language, which its configuration names. */
function espeakVoiceOf(path: string): string {
  const { espeak }: { espeak: { voice: string } } = JSON.parse(readFileSync(path, "utf8"));
  return espeak.voice;
}
