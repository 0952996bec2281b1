/**
 * Opens everything that speaks and hears, and no account: the catalogue of what is installed, the workshop that starts
 * an engine by its name, what decodes, encodes and listens.
 */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import { familyOf } from "../engine/families/families.ts";
import { installedFamilies } from "../engine/families/installed.ts";
import { type Decoder, openDecoder } from "../engine/media-decoder.ts";
import { type Engine, type EngineRegistry, openRegistry } from "../engine/registry.ts";
import { lazily } from "../engine/runner.ts";
import { soleClaim } from "../engine/scheduler.ts";
import { openThreadPool } from "../engine/thread-pool.ts";
import { openSpool } from "../memory/spool.ts";
import { buildCatalogue } from "../models/catalogue.ts";
import { type LiveCatalogue, liveCatalogue } from "../models/live.ts";
import { readManifests } from "../models/manifest.ts";
import {
  installedFor,
  type ModelStore,
  openModelStore,
  packagesOf,
  runnable,
  stampOf,
} from "../models/store/model-store.ts";
import { openPullQueue, type PullQueue } from "../models/store/pull-queue.ts";
import type { TurnDetector } from "../realtime/session-runner.ts";
import { openVadStreams, type VadStreams } from "../realtime/vad-streams.ts";
import { openEncoders } from "../speech/encoders.ts";
import type { Synthesizer } from "../speech/synthesizer.ts";
import { type LiveRecognizer, openRepeatedRecognition } from "../transcription/live.ts";
import { openStreamingRecognition } from "../transcription/streaming-recognition.ts";
import { engineSpecs, liveName, sileroOf, worker } from "./engine-specs.ts";

/** The longest recording a transcription takes. */
const AUDIO_LIMIT_SECONDS = 600;
const LOOK_MS = 1000;

export type Inference = AsyncDisposable & {
  catalogue: LiveCatalogue;
  registry: EngineRegistry;
  synthesizer: Synthesizer;
  decoder: Decoder;
  vadStreams: VadStreams;
  live: LiveRecognizer;
  turnDetector: TurnDetector;
  pulls: PullQueue;
};

export function openInference(config: Config): Inference {
  const { models, engine } = config;
  const stack = new AsyncDisposableStack();
  const size = engine.threads;
  const embedded = installedFamilies();
  const store = openModelStore(models.weights);
  const manifests = readManifests(models.folder);
  const catalogue = liveCatalogue(() => buildCatalogue(manifests, runnable(store, embedded)));
  const registry = stack.use(openRegistry(engineSpecs(config, store)));
  const changed = () => {
    catalogue.refresh();
    const current = new Set(store.list().map(({ folder }) => folder));
    registry.retire((key) => key.startsWith(packagesOf(models.weights)) && !current.has(key));
  };
  stack.use(watching(models.weights, changed));
  const openEncoderThread = () => openThreadPool(worker("media/encode"), { size: 1, queueMax: 1024 });
  const encoders = stack.use(openEncoders(openEncoderThread, Math.ceil(size / 4)));
  const openVadThread = () =>
    openThreadPool(worker("vad/vad"), { size: 1, queueMax: 1, data: { model: sileroOf(config, store) } });
  const vadStreams = stack.use(openVadStreams(openVadThread, Math.ceil(size / 4)));
  const wavReader = stack.use(lazily(() => openThreadPool(worker("media/wav"), { size: 1, queueMax: 64 })));
  const device = devicesFor(engine.device).length > 0 ? "gpu" : "cpu";
  const pulls = stack.use(openPullQueue({ weights: models.weights, device, mirror: models.mirror }));
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
    registry,
    synthesizer: { registry, encoders, spool: openSpool(join(config.data.folder, "spool")) },
    decoder,
    vadStreams,
    live: openLive(store, (name) => registry.engine(name)),
    turnDetector: (samples) => {
      const installed = installedFor(store, "turn-detection");
      return installed && registry.engine(installed.package.name).run<number>({ samples }, soleClaim());
    },
    pulls,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** By an engine that remembers where the package is one; any other hears again what is not settled. */
function openLive(store: ModelStore, engine: (name: string) => Engine): LiveRecognizer {
  const streaming = openStreamingRecognition(engine);
  const rehearing = openRepeatedRecognition((name) => engine(liveName(name)));
  const streams = (name: string) => {
    const installed = store.installed(name);
    return installed !== null && familyOf(installed.package.family).task === "streaming-recognition";
  };
  return { open: (listener) => (streams(listener.engine) ? streaming : rehearing).open(listener) };
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
