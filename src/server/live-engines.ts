/** The engines of live sessions, chosen by what is installed at each call: recognition and turn detection. */

import { familyOf, liveName } from "../engine/families/families.ts";
import type { Engine, EngineRegistry } from "../engine/registry.ts";
import { soleClaim } from "../engine/runner.ts";
import { type InstalledPackages, installedFor } from "../models/store/model-store.ts";
import type { TurnDetector } from "../realtime/session-runner.ts";
import { type EngineOf, type LiveRecognizer, openRepeatedRecognition } from "../transcription/live.ts";
import { withReopening } from "../transcription/reopening.ts";
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
  const streaming = withReopening(openStreamingRecognition((of) => keptEngine(registry, of, true)));
  const repeated = openRepeatedRecognition((of) => keptEngine(registry, of, false));
  const listened = withReopening({ open: (options) => listener(options.engine)!(options) }, repeated);
  const isStreaming = ({ engine, kept }: EngineOf) => {
    const installed = store.installed(engine);
    if (installed) return familyOf(installed.package.family).task === "streaming-recognition";
    return kept?.current?.name === engine && kept.current.isStreaming;
  };
  return {
    open(options) {
      if (listener(options.engine) !== null) return listened.open(options);
      return (isStreaming(options) ? streaming : repeated).open(options);
    },
  };
}

/** The engine of that name; where it was removed since, the session goes on with the one that it used before. */
function keptEngine(
  registry: EngineRegistry,
  { engine: name, kept }: EngineOf,
  isStreaming: boolean,
): Engine {
  try {
    const engine = registry.engine(isStreaming ? name : liveName(name));
    if (kept) kept.current = { name, engine, isStreaming };
    return engine;
  } catch (refusal) {
    if (kept?.current?.name !== name) throw refusal;
    return kept.current.engine;
  }
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
      return name === null ? null : registry.engine(name).run({ kind: "turn", samples }, soleClaim());
    },
  };
}
