/**
 * Promise: without turn detection a client may commit when it likes: of nothing, of 10 ms, twice, within a word. Every word is
 * in one transcript once, each commit has its transcript, and only commits of too little are refused.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { VadResult } from "../../src/engine/protocol/vad.ts";
import { toRefusal } from "../../src/errors.ts";
import type { ServerEvent } from "../../src/realtime/events.ts";
import { SessionRunner } from "../../src/realtime/session-runner.ts";
import { openRepeatedRecognition } from "../../src/transcription/live.ts";
import { ACCURATE, idle, type Spoken, scripted, sound } from "../transcription/scripted-speech.ts";
import { openConversation, WINDOW } from "./conversation.ts";

/** A session whose VAD only passes audio on. */
function openManual(words: Spoken[]) {
  const { session } = openConversation({ turnDetection: null });
  const { engine, release } = scripted(words, ACCURATE);
  const events: ServerEvent[] = [];
  let give = (_result: Omit<VadResult, "id">) => {};
  const runner = new SessionRunner(
    {
      session,
      vadStreams: {
        open(_format, { result }) {
          give = (each) => result({ id: 0, ...each });
          return { feed() {}, behindSeconds: () => 0, close() {} };
        },
        [Symbol.asyncDispose]: async () => {},
      },
      recognizer: openRepeatedRecognition(() => engine),
      turnDetector: { warm() {}, detect: () => null },
      client: {
        organization: "org_x",
        request: "req_x",
        send: (event) => void events.push(event),
        failed() {},
        hangUp() {},
      },
    },
    { engine: "scripted", language: "en", prompt: "" },
  );
  runner.perform(session.start());
  let at = 0;
  return {
    events,
    release,
    append(ms: number) {
      const samples = sound(at, at + (ms * ASR_SAMPLE_RATE) / 1000);
      at += samples.length;
      session.append(ms * 48); // 24 kHz, two bytes a sample
      give({ samples, probabilities: new Float32Array(0), windowSamples: WINDOW, lateSamples: 0 });
    },
    commit() {
      try {
        runner.perform(session.commit());
      } catch (refusal) {
        runner.perform(session.refuse(toRefusal(refusal), null, true));
      }
    },
  };
}

const letter = (place: number) => String.fromCharCode(97 + place);
const words: Spoken[] = Array.from({ length: 80 }, (_, index) => {
  const start = 0.3 + index * 0.5 + (index % 7 === 0 ? 0.2 : 0);
  return {
    text: `${letter(index / 26)}${letter(index % 26)}word`,
    start,
    end: start + (index % 7 === 0 ? 0.3 : 0.5),
  };
});
const SECONDS = 42;

const step = fc.record({
  ms: fc.constantFrom(0, 10, 40, 90, 100, 330, 1000, 5000, 14_000),
  commits: fc.constantFrom(0, 0, 0, 1, 2),
  released: fc.boolean(),
});

test("every word is in one transcript once, wherever the client commits", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const { events, append, commit, release } = openManual(words);
      for (let index = 0, leftMs = SECONDS * 1000; leftMs > 0; index++) {
        const { ms, commits, released } = steps[index % steps.length]!;
        const most = Math.min(leftMs, Math.max(ms, index < steps.length ? 0 : 500));
        if (most > 0) append(most);
        leftMs -= most;
        for (let count = 0; count < commits; count++) commit();
        if (released) release();
        await idle();
      }
      append(100);
      commit();
      const all = (end: string) => events.filter(({ type }) => type.endsWith(end));
      while (all(".completed").length < all(".committed").length) {
        release();
        await idle();
      }
      const texts = all(".completed").flatMap(({ transcript }) => `${transcript}`.split(" ").filter(Boolean));
      // a word that a commit parts is recognized by its beginning
      expect(texts.map((text) => text.slice(0, 2))).toEqual(words.map(({ text }) => text.slice(0, 2)));
      const errors = all("error").map(({ error }) => (error as { code: string }).code);
      expect(errors.every((code) => code === "input_audio_buffer_commit_empty")).toBe(true);
    }),
    { numRuns: 60 },
  );
});
