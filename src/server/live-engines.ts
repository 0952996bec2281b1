/** The engines of live sessions, chosen by what is installed at each call: recognition and turn detection. */

import { soleClaim } from "../engine/claim.ts";
import { familyOf, liveName } from "../engine/families/families.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import { type InstalledPackages, installedFor } from "../models/store/model-store.ts";
import type { TurnDetector } from "../realtime/session-runner.ts";
import { type LiveRecognizer, openRepeatedRecognition } from "../transcription/live.ts";
import { reopening } from "../transcription/reopening.ts";
import { openStreamingRecognition } from "../transcription/streaming-recognition.ts";
import type { Upstreams } from "./installed-models.ts";

/**
 * Streaming where the family keeps the state of a stream, or an upstream listens itself; any other engine recognizes
 * unconfirmed audio again.
 */
export function openLiveRecognizer(
  store: InstalledPackages,
  registry: EngineRegistry,
  { listener }: Pick<Upstreams, "listener">,
): LiveRecognizer {
  const streaming = reopening(openStreamingRecognition((name) => registry.engine(name)));
  const repeated = openRepeatedRecognition((name) => registry.engine(liveName(name)));
  const listened = reopening({ open: (options) => listener(options.engine)!(options) }, repeated);
  const isStreaming = (engine: string) => {
    const installed = store.installed(engine);
    return installed !== null && familyOf(installed.package.family).task === "streaming-recognition";
  };
  return {
    open(options) {
      if (listener(options.engine) !== null) return listened.open(options);
      return (isStreaming(options.engine) ? streaming : repeated).open(options);
    },
  };
}

export function turnDetectorOf(store: InstalledPackages, registry: EngineRegistry): TurnDetector {
  const installed = () => installedFor(store, "turn-detection")?.package.name ?? null;
  return {
    warm() {
      const name = installed();
      if (name !== null) registry.warm(name);
    },
    detect(samples) {
      const name = installed();
      return name === null ? null : registry.engine(name).run<number>({ samples }, soleClaim());
    },
  };
}
