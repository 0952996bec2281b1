/** The engines of live sessions, chosen by what is installed at each call: recognition and turn detection. */

import { soleClaim } from "../engine/claim.ts";
import { familyOf, liveName } from "../engine/families/families.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import { type InstalledPackages, installedFor } from "../models/store/model-store.ts";
import type { TurnDetector } from "../realtime/session-runner.ts";
import { type LiveRecognizer, openRepeatedRecognition } from "../transcription/live.ts";
import { openStreamingRecognition } from "../transcription/streaming-recognition.ts";

/** Streaming where the family keeps the state of a stream; any other engine recognizes unconfirmed audio again. */
export function openLiveRecognizer(store: InstalledPackages, registry: EngineRegistry): LiveRecognizer {
  const streaming = openStreamingRecognition((name) => registry.engine(name));
  const repeated = openRepeatedRecognition((name) => registry.engine(liveName(name)));
  const isStreaming = (engine: string) => {
    const installed = store.installed(engine);
    return installed !== null && familyOf(installed.package.family).task === "streaming-recognition";
  };
  return { open: (listener) => (isStreaming(listener.engine) ? streaming : repeated).open(listener) };
}

/** Null where no turn detector is installed. */
export const turnDetectorOf =
  (store: InstalledPackages, registry: EngineRegistry): TurnDetector =>
  (samples) => {
    const installed = installedFor(store, "turn-detection");
    return installed && registry.engine(installed.package.name).run<number>({ samples }, soleClaim());
  };
