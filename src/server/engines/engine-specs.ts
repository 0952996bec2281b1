/** How each engine is started, by its name: embedded families, installed packages, text planning and phonemes. */
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { WorkerEnded } from "../../engine/back-off.ts";
import { withDelivery } from "../../engine/delivering-runner.ts";
import type { Gpu } from "../../engine/devices.ts";
import {
  abilitiesOf,
  alphabetOf,
  EMBEDDED_FAMILIES,
  type EmbeddedEntry,
  familyOf,
  liveName,
} from "../../engine/families/families.ts";
import { manualSilero } from "../../engine/families/installed.ts";
import { readJsonFile } from "../../engine/families/json-file.ts";
import { PIPER_VOICE } from "../../engine/families/piper-voice.ts";
import { openFirst } from "../../engine/first-runner.ts";
import { openProcessPool } from "../../engine/process-pool.ts";
import type { CompanionData, EngineData } from "../../engine/protocol/engine-data.ts";
import type { Engine, EngineSpec } from "../../engine/registry.ts";
import { type Runner, type RunnerOptions, removed, shared } from "../../engine/runner.ts";
import { audioSecondsOf } from "../../engine/speed/audio-seconds.ts";
import { withStopping } from "../../engine/threads/stopping-runner.ts";
import { openThreadPool } from "../../engine/threads/thread-pool.ts";
import { type FileSet, fileSetsOf } from "../../models/packages/file-sets.ts";
import type { PackageFile } from "../../models/packages/package.ts";
import { devicesOf } from "../../models/packages/variants.ts";
import { companionOf } from "../../models/store/companions.ts";
import { fileOf, type Installed, installedFor, type ModelStore } from "../../models/store/model-store.ts";
import { worker } from "../../resources.ts";
import { fitted, withLoudness } from "../../speech/fit-task.ts";
import { openPhonemes, type Pronunciation } from "../../speech/phonemes.ts";
import { type Division, inParts } from "../../transcription/long/in-parts.ts";
import { openDevicesBySpeed } from "./devices-by-speed.ts";
import { embeddedLevels, packageLevels } from "./levels.ts";

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
  const devicesOn = openDevicesBySpeed({ asked: config.engine.device, weights: config.models.weights });
  return (name) => {
    if (name === PHONEMES) return g2pSpec(config, store, ended);
    const spec = ownSpecs.get(name);
    if (spec) return { key: name, idleMs: null, ...spec };
    const installed = store.installed(name);
    if (!installed) throw removed();
    const silero = sileroOf(config, store);
    return packageSpec(installed, {
      engine: config.engine,
      devices: devicesOn(installed.package),
      weights: config.models.weights,
      silero,
      store,
      ended,
    });
  };
}

type OwnSpec = Pick<EngineSpec, "options" | "start" | "divide">;

/** What runs without a package: embedded families and text planning. */
function serverSpecs(engine: Config["engine"], ended: WorkerEnded): [name: string, OwnSpec][] {
  const plan: OwnSpec = {
    options: { size: Math.ceil(engine.threads / 4), ended },
    start: (options) => openThreadPool(worker("tts/plan"), options),
  };
  const embedded = Object.entries(EMBEDDED_FAMILIES).flatMap(([name, family]) =>
    embeddedSpecs(name, family, { engine, ended }),
  );
  return [[PLAN, plan], ...embedded];
}

type EmbeddedContext = Pick<Config, "engine"> & { ended: WorkerEnded };

/** Live sessions and recordings have a queue each and share the threads: one at a time needs one thread. */
function embeddedSpecs(
  name: string,
  family: EmbeddedEntry,
  { engine, ended }: EmbeddedContext,
): [name: string, OwnSpec][] {
  const { threads: size, idleMs } = engine;
  const { livesApart, spansAtOnce } = family;
  const start = (options: RunnerOptions) => {
    const opened = openEmbedded(family, options, idleMs);
    if (family.task !== "synthesis") return opened;
    const { title, does } = family;
    return fitted(withLoudness(opened, embeddedLevels(name)), { name: title, does, phonemes: null });
  };
  const options = { size, ended };
  if (!livesApart) return [[name, { options, start }]];
  const recordings = { ...options, spare: 1 }; // one may take a minute of work
  const both = shared(() => start({ ...options, size: 2 * size + recordings.spare }));
  return [
    [
      name,
      { options: recordings, start: both, ...divisionOf(spansAtOnce, { threads: size, detects: false }) },
    ],
    [liveName(name), { options, start: both }],
  ];
}

/** Long recordings are divided where the family says how. */
const divisionOf = (
  spansAtOnce: number | undefined,
  division: Omit<Division, "spansAtOnce">,
): Pick<EngineSpec, "divide"> =>
  spansAtOnce === undefined ? {} : { divide: (queue) => inParts(queue, { ...division, spansAtOnce }) };

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
  const key = g2pKey(store);
  return {
    key,
    isReplaced: () => g2pKey(store) !== key,
    idleMs: engine.idleMs,
    options: { size: Math.ceil(engine.threads / 4), ended },
    start: (options) =>
      openProcessPool(worker("g2p/g2p"), { ...options, args: [dictionariesOf(store) ?? []].flat() }),
  };
}

const dictionariesOf = (store: ModelStore) => installedFor(store, "pronunciation")?.folder;

const g2pKey = (store: ModelStore): string =>
  [PHONEMES, dictionariesOf(store) ?? [], store.installed("espeak-ng")?.folder ?? []].flat().join(" of ");

const SESSION_THREADS = 4; // more gain little for one clip; a second session gains more

type PackageContext = Pick<Config, "engine"> & {
  devices: readonly Gpu[];
  weights: string;
  silero: string | null;
  store: ModelStore;
  ended: WorkerEnded;
};

function packageSpec(
  { package: pkg, folder }: Installed,
  { engine, weights, silero, store, ended, ...rest }: PackageContext,
): EngineSpec {
  const family = familyOf(pkg.family);
  const { task, worker: path, concurrency, stateful } = family;
  if (path === null) throw new Error(`${pkg.name} is not an engine: other engines use its files`);
  const sets = fileSetsOf(pkg, devicesOf(pkg, rest.devices).length > 0 ? "gpu" : "cpu");
  const devicesIn = ({ files }: FileSet) => devicesOf({ variants: pkg.variants, files }, rest.devices);
  const threads = Math.min(engine.threads, SESSION_THREADS);
  const isPlaced = devicesIn(sets[0]!).length > 0;
  const companion = companionOf(store, pkg.family);
  const isReplaced = () =>
    store.installed(pkg.name)?.folder !== folder ||
    companionOf(store, pkg.family)?.folder !== companion?.folder;
  const size = isPlaced || stateful ? 1 : Math.max(1, Math.floor(engine.threads / threads));
  const openSet = (set: FileSet, options: RunnerOptions) => {
    const { files } = set;
    const shared = size > 1 && files.some(({ role }) => role.endsWith("-data"));
    const data: EngineData = {
      files: pathsOf(files, folder),
      options: pkg.options,
      silero,
      ...(companion ? { companion: companionData(companion) } : {}),
      placement: { threads, devices: devicesIn(set), shared },
    };
    return openThreadPool(worker(path), { ...options, size, concurrency, data });
  };
  const warn = (reason: Error, at: number) =>
    process.emitWarning(
      `${pkg.name}: ${sets[at]!.variant} cannot be opened, ${sets[at + 1]!.variant} is used: ${reason.message}`,
    );
  return {
    key: companion ? `${pkg.family} of ${folder} and ${companion.folder}` : folder,
    isReplaced,
    idleMs: engine.idleMs,
    audioSeconds: audioSecondsOf(task),
    ...(size > 1
      ? divisionOf(family.spansAtOnce, {
          threads: size,
          detects: abilitiesOf(pkg.family).includes("languages"),
        })
      : {}),
    options: {
      size: size * concurrency,
      reserved: concurrency > 2 ? 2 * size : 0,
      ended,
    },
    start(options, registry) {
      if (isReplaced()) throw removed(); // its files are gone
      const openers = sets.map((set) => () => openSet(set, options));
      const phonemes: Engine = { run: (...task) => registry.engine(PHONEMES).run(...task) }; // of current dictionaries
      const opened = openFirst(openers, warn);
      if (task !== "synthesis") return opened;
      const runner = withStopping(withLoudness(opened, packageLevels(pkg, weights)));
      return readingTexts(runner, { package: pkg, folder }, phonemes);
    },
  };
}

/** Given only the tasks that the family can do, as it reads them. */
function readingTexts(
  opened: Runner,
  installed: Pick<Installed, "package" | "folder">,
  phonemes: Engine,
): Runner {
  const { family, title } = installed.package;
  const does = abilitiesOf(family);
  const pronunciation = pronunciationOf(installed);
  return fitted(does.includes("delivery") ? withDelivery(opened) : opened, {
    name: title,
    does,
    phonemes: pronunciation && openPhonemes(phonemes, pronunciation),
  });
}

/** How the engine of a package pronounces text; null for one that reads letters. */
export function pronunciationOf({ package: pkg, folder }: Pick<Installed, "package" | "folder">) {
  const alphabet = alphabetOf(pkg.family);
  if (alphabet === null) return null;
  const { config } = pathsOf(pkg.files, folder);
  return { alphabet, voice: config ? espeakVoiceOf(config) : null } satisfies Pronunciation;
}

const companionData = ({ package: { files, options }, folder }: Installed): CompanionData => ({
  files: pathsOf(files, folder),
  options,
});

const pathsOf = (files: PackageFile[], folder: string): EngineData["files"] =>
  Object.fromEntries(files.map(({ role, path }) => [role, join(folder, path)]));

/** A Piper voice was trained on the phonemes of one language, which its configuration names. */
const espeakVoiceOf = (path: string): string => readJsonFile(path, PIPER_VOICE).espeak.voice;
