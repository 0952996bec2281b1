/** A live stream of an engine that a test scripts. */
import { expect } from "bun:test";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import type { Refusal } from "../../src/errors.ts";
import { openRepeatedRecognition } from "../../src/transcription/live.ts";

type Options = { spoken: boolean; now?: () => number };

/** `settled` resolves with its outcome. A call of anything after it fails the test. `now`: a clock in milliseconds. */
export function openLiveStream(engine: Engine, { spoken, now }: Options, words: (words: Word[]) => void) {
  const { promise, resolve } = Promise.withResolvers<"completed" | Refusal>();
  let isSettled = false;
  const stream = openRepeatedRecognition(() => engine, now).open({
    engine: "scripted",
    language: null,
    prompt: "",
    organization: "org",
    request: "req",
    spoken,
    words(added) {
      expect(isSettled).toBe(false);
      words(added);
    },
    progressed: () => expect(isSettled).toBe(false),
    settled(outcome) {
      expect(isSettled).toBe(false);
      isSettled = true;
      resolve(outcome);
    },
  });
  return { stream, settled: promise };
}
