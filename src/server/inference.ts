/**
 * Opens everything that synthesizes and recognizes speech, and nothing of accounts. What starts threads and processes
 * starts them when they are first needed.
 */
import { join } from "node:path";
import type { OtherNodes } from "../cluster/other-nodes.ts";
import type { Config } from "../config/config.ts";
import { devicesFor } from "../engine/devices.ts";
import type { Decoder } from "../engine/media/media-decoder.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import type { Fleet } from "../engine/remote/fleet.ts";
import { openSpool } from "../memory/spool.ts";
import type { LiveCatalogue, OwnPrices } from "../models/live-catalogue.ts";
import { isEmbedded } from "../models/manifest.ts";
import { openPullQueue, type PullQueue } from "../models/pull/pull-queue.ts";
import type { ModelStore } from "../models/store/model-store.ts";
import { hasProgram } from "../natives/programs.ts";
import type { TurnDetector } from "../realtime/session-runner.ts";
import type { VadStreams } from "../realtime/vad-streams.ts";
import type { Synthesizer } from "../speech/synthesizer.ts";
import type { LiveRecognizer } from "../transcription/live.ts";
import { openAudioWorkers } from "./audio-workers.ts";
import { speedsOf } from "./engines/speeds.ts";
import { tryOutOn } from "./engines/try-out.ts";
import { type EngineEvents, openInstalledModels, type Upstreams } from "./installed-models.ts";
import { openLiveRecognizer, turnDetectorOf } from "./live-engines.ts";

export type Inference = AsyncDisposable & {
  store: ModelStore;
  catalogue: LiveCatalogue;
  registry: EngineRegistry;
  synthesizer: Synthesizer;
  decoder: Decoder;
  encodesAac: boolean;
  vadStreams: VadStreams;
  live: LiveRecognizer;
  turnDetector: TurnDetector;
  pulls: PullQueue;
  upstreams: Upstreams;
  /** Whether this node, one of its engine nodes or an upstream runs the engine. */
  runsHere(engine: string): boolean;
  otherNodes: OtherNodes;
};

/** `fleet`: the engine nodes of this one. `prices`: absent: those of the manifests hold. */
type Surroundings = { fleet?: Fleet | undefined; prices?: OwnPrices };

export function openInference(
  config: Config,
  events: EngineEvents = {},
  around: Surroundings = {},
): Inference {
  const { models, engine, data } = config;
  const stack = new AsyncDisposableStack();
  const { store, packages, catalogue, registry, upstreams, runsHere, otherNodes } = stack.use(
    openInstalledModels(config, events, around),
  );
  const spool = openSpool(join(data.folder, "spool"));
  const { encoders, vadStreams, decoder } = stack.use(
    openAudioWorkers(config, { store, ended: events.workerEnded }),
  );
  const device = devicesFor(engine.device).length > 0 ? "gpu" : "cpu";
  const pulls = stack.use(
    openPullQueue({
      ...{ weights: models.weights, device, mirror: models.mirror },
      tryOut: tryOutOn(config),
    }),
  );
  return {
    store,
    catalogue,
    registry,
    synthesizer: {
      registry,
      speed: speedsOf({ weights: models.weights, store, registry, device: engine.device }),
      encoders,
      spool,
    },
    decoder,
    encodesAac: hasProgram("ffmpeg"),
    vadStreams,
    live: openLiveRecognizer(packages, registry, upstreams),
    turnDetector: turnDetectorOf(packages, registry),
    pulls,
    upstreams,
    runsHere,
    otherNodes,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Loads the embedded voices and the first engine of each model; the others load on first use. */
export function warmUp({ catalogue, registry }: Pick<Inference, "catalogue" | "registry">): void {
  const voices = catalogue.voices.map(({ engine }) => engine).filter(isEmbedded);
  const first = catalogue.entries.flatMap(({ version }) => {
    if (version?.type === "tts") return version.voices.slice(0, 1).map(({ engine }) => engine);
    return version ? version.recognition.engines.slice(0, 1).map(({ engine }) => engine) : [];
  });
  for (const engine of new Set([...voices, ...first.filter((name) => !isEmbedded(name))]))
    registry.warm(engine);
}
