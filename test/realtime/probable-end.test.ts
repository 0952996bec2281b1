/** Promise: where a client names the probability at which a turn is over, its turn ends at that, or at the longest silence. */
import { describe, expect, test } from "bun:test";
import type { ProbableEnd } from "../../src/realtime/settings.ts";
import { TurnBuffer } from "../../src/realtime/turn-buffer.ts";
import { openConversation } from "./conversation.ts";

const WINDOW_MS = 32;
const SPEECH = "##########";
const silence = (ms: number) => ".".repeat(Math.ceil(ms / WINDOW_MS));

function open(turns: Partial<ProbableEnd> = {}) {
  const conversation = openConversation();
  const { session, keep, effects } = conversation;
  const turnDetection: ProbableEnd = {
    ...{ type: "probable_end", threshold: 0.7, silenceMs: 700, timeoutMs: 5000 },
    ...turns,
  };
  keep(session.update({ ...session.settings, turnDetection }, "en", "session.updated"));
  return {
    ...conversation,
    answer(probability: number) {
      const asked = effects.filter((effect) => effect.do === "detectTurn").at(-1)!;
      keep(session.turnDetected(asked.itemId, asked.quietFrom, probability));
    },
    hasEnded: () => conversation.types().includes("speech_stopped 1"),
  };
}

describe("a turn", () => {
  test("ends where the turn detector is as sure as was asked for, and not below", () => {
    const { hear, answer, hasEnded } = open();
    hear(SPEECH + silence(320));
    answer(0.69);
    hear(silence(1000));
    expect(hasEnded()).toBe(false);
    answer(0.7);
    hear(".");
    expect(hasEnded()).toBe(true);
  });

  test("ends after its silence where no turn detector answers", () => {
    const { hear, hasEnded } = open();
    hear(SPEECH + silence(640));
    expect(hasEnded()).toBe(false);
    hear("..");
    expect(hasEnded()).toBe(true);
  });

  test("with a threshold of 1 and no silence ends at the longest silence alone", () => {
    const { hear, answer, hasEnded } = open({ threshold: 1, silenceMs: null, timeoutMs: 2000 });
    hear(SPEECH + silence(320));
    answer(1);
    hear(silence(1600));
    expect(hasEnded()).toBe(false);
    hear(silence(200));
    expect(hasEnded()).toBe(true);
  });
});

test("what the turn detector found is told of the present silence alone", () => {
  const { hear, answer, front, effects, keep, session } = open();
  const told: number[] = [];
  Object.assign(front, { detected: (_: unknown, probability: number) => told.push(probability) });
  hear(SPEECH + silence(320));
  answer(0.4);
  const asked = effects.filter((effect) => effect.do === "detectTurn").at(-1)!;
  hear(SPEECH);
  keep(session.turnDetected(asked.itemId, asked.quietFrom, 0.9));
  expect(told).toEqual([0.4]);
});

test("the silence since the last speech is told with the audio", () => {
  const turns = new TurnBuffer();
  const picture = "##..#...";
  const rules = { threshold: 0.5, silenceMs: 700, forceMs: 5000, idleMs: null, prefixMs: 0 };
  const events = turns.process(
    {
      samples: new Float32Array(picture.length * 512),
      probabilities: Float32Array.from(picture, (letter) => (letter === "#" ? 0.9 : 0.05)),
      windowSamples: 512,
      lateSamples: 0,
    },
    rules,
  );
  const quiet = events.flatMap((event) => (event.event === "audio" ? [event.quietMs] : []));
  expect(quiet).toEqual([0, 0, 32, 64, 0, 32, 64, 96]);
});
