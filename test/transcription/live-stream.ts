/** A live stream of an engine that a test scripts. */
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import type { Refusal } from "../../src/errors.ts";
import { openRepeatedRecognition } from "../../src/transcription/live.ts";

/** `settled` resolves with its outcome. */
export function openLiveStream(engine: Engine, spoken: boolean, words: (words: Word[]) => void) {
  const { promise, resolve } = Promise.withResolvers<"completed" | Refusal>();
  const stream = openRepeatedRecognition(() => engine).open({
    engine: "scripted",
    language: null,
    prompt: "",
    organization: "org",
    request: "req",
    spoken,
    words,
    progressed: () => {},
    settled: resolve,
  });
  return { stream, settled: promise };
}
