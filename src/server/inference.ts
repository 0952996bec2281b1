/**
 * Opens everything that speaks and hears, and no account: the catalogue of what is installed, the workshop that starts
 * an engine by its name, what decodes, encodes and listens.
 */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import { installedFamilies } from "../engine/installed.ts";
import { type Decoder, openDecoder } from "../engine/media-decoder.ts";
import { type Engine, openWorkshop, type Workshop } from "../engine/registry.ts";
import { lazily } from "../engine/runner.ts";
import { soleClaim } from "../engine/scheduler.ts";
import { openPool } from "../engine/thread-pool.ts";
import { openSpool } from "../memory/spool.ts";
import { buildCatalogue } from "../models/catalogue.ts";
import { type LiveCatalogue, liveCatalogue } from "../models/live.ts";
import { readManifests } from "../models/manifest.ts";
import { openShelf, packagesOf, runnable, type Shelf, stampOf } from "../models/store/model-store.ts";
import { openPulls, type Pulls } from "../models/store/pull-queue.ts";
import type { TurnJudge } from "../realtime/session-runner.ts";
import { type Ears, openEars } from "../realtime/vad-streams.ts";
import { openEncoders } from "../speech/encoders.ts";
import type { Studio } from "../speech/synthesizer.ts";
import { type LiveRecogniser, openRehearing } from "../transcription/live.ts";
import { openStreaming } from "../transcription/streaming-recognition.ts";
import { liveName, recipes, sileroOf, worker } from "./engine-specs.ts";

/** The longest recording a transcription takes. */
const AUDIO_LIMIT_SECONDS = 600;
const LOOK_MS = 1000;
const TURNS = "smart-turn-v3";

export type Engines = AsyncDisposable & {
  catalogue: LiveCatalogue;
  workshop: Workshop;
  studio: Studio;
  decoder: Decoder;
  ears: Ears;
  live: LiveRecogniser;
  judge: TurnJudge;
  pulls: Pulls;
};

export function openEngines(config: Config): Engines {
  const { models, engine } = config;
  const stack = new AsyncDisposableStack();
  const size = engine.threads;
  const embedded = installedFamilies();
  const shelf = openShelf(models.weights);
  const manifests = readManifests(models.folder);
  const catalogue = liveCatalogue(() => buildCatalogue(manifests, runnable(shelf, embedded)));
  const workshop = stack.use(openWorkshop(recipes(config, shelf)));
  const changed = () => {
    catalogue.refresh();
    const current = new Set(shelf.list().map(({ folder }) => folder));
    workshop.retire((key) => key.startsWith(packagesOf(models.weights)) && !current.has(key));
  };
  stack.use(watching(models.weights, changed));
  const openLane = () => openPool(worker("media/encode"), { size: 1, queueMax: 1024 });
  const encoders = stack.use(openEncoders(openLane, Math.ceil(size / 4)));
  const openEarLane = () =>
    openPool(worker("vad/vad"), { size: 1, queueMax: 1, data: { model: sileroOf(config, shelf) } });
  const ears = stack.use(openEars(openEarLane, Math.ceil(size / 4)));
  const wavReader = stack.use(lazily(() => openPool(worker("media/wav"), { size: 1, queueMax: 64 })));
  const device = devicesFor(engine.device).length > 0 ? "gpu" : "cpu";
  const pulls = stack.use(openPulls({ weights: models.weights, device, mirror: models.mirror }));
  const decoder = openDecoder({
    maxSeconds: AUDIO_LIMIT_SECONDS,
    timeoutMs: 60_000,
    childrenMax: Math.max(3, size),
    wavReader,
    script: worker("media/decode"),
    installed: embedded.has("decode"),
  });
  return {
    catalogue,
    workshop,
    studio: { workshop, encoders, spool: openSpool(join(config.data.folder, "spool")) },
    decoder,
    ears,
    live: openLive(shelf, (name) => workshop.engine(name)),
    judge: (samples) =>
      shelf.installed(TURNS) ? workshop.engine(TURNS).run<number>({ samples }, soleClaim()) : null,
    pulls,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** By an engine that remembers where the package is one; any other hears again what is not settled. */
function openLive(shelf: Shelf, engine: (name: string) => Engine): LiveRecogniser {
  const streaming = openStreaming(engine);
  const rehearing = openRehearing((name) => engine(liveName(name)));
  const remembers = (name: string) => shelf.installed(name)?.package.family === "nemo-streaming";
  return { open: (listener) => (remembers(listener.engine) ? streaming : rehearing).open(listener) };
}

/** Looks now and then whether something was installed or removed, by whichever process. */
function watching(weights: string, changed: () => void): Disposable {
  let seen = stampOf(weights);
  const timer = setInterval(() => {
    const stamp = stampOf(weights);
    if (stamp === seen) return;
    seen = stamp;
    changed();
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
