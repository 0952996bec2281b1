/** Promise: a turn detector ends a finished turn early and holds an unfinished one open, up to the limit of eagerness. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Change } from "../../src/realtime/settings.ts";
import { openConversation } from "./conversation.ts";

const SPEECH = "##########";
const WINDOW_MS = 32;
/** The first whole windows of at least so long. */
const quiet = (ms: number) => ".".repeat(Math.ceil(ms / WINDOW_MS));
const semantic = (eagerness: "low" | "medium" | "high" | "auto" = "auto"): Change => ({
  turnDetection: { type: "semantic_vad", eagerness },
});
const ended = "speech_stopped 1";

describe("with semantic turn detection, a turn", () => {
  test("that is finished ends after 300 ms, however soon that is known", () => {
    const { hear, answer, effectsOf, types } = openConversation(semantic());
    hear(`${SPEECH}.....`);
    expect(effectsOf("item_x_1")).toContain("detectTurn");
    answer(true);
    hear("....");
    expect(types()).toEqual(["speech_started 1"]);
    hear(".");
    expect(types()).toContain(ended);
  });

  test.each([
    ["low", 8000],
    ["medium", 4000],
    ["high", 2000],
    ["auto", 4000],
  ] as const)("that is not finished waits, with eagerness %s for %d ms", (eagerness, limitMs) => {
    const { hear, answer, types } = openConversation(semantic(eagerness));
    hear(`${SPEECH}.....`);
    answer(false);
    hear(quiet(limitMs).slice(6));
    expect(types()).toEqual(["speech_started 1"]);
    hear(".");
    expect(types()).toContain(ended);
  });

  test("is asked about again whenever the silence has doubled, and pauses for the recognizer once", () => {
    const { hear, answer, effects, effectsOf, types } = openConversation(semantic());
    hear(`${SPEECH}.....`);
    const asked: number[] = [];
    for (let windows = 5; !types().includes(ended); windows++) {
      const { length } = effects.filter((effect) => effect.do === "detectTurn");
      if (length > asked.length) {
        asked.push(windows * WINDOW_MS);
        answer(false);
      }
      hear(".");
    }
    expect(asked).toEqual([160, 320, 640, 1280, 2560]);
    expect(effectsOf("item_x_1").filter((what) => what === "pause")).toHaveLength(1);
  });

  test("that a later answer finds finished ends at once", () => {
    const { hear, answer, types } = openConversation(semantic());
    hear(`${SPEECH}.....`);
    answer(false);
    hear(quiet(1280));
    answer(true);
    hear(".");
    expect(types()).toContain(ended);
  });

  test("goes on when the speaker does, and an answer about the pause before means nothing", () => {
    const { hear, answer, types } = openConversation(semantic());
    hear(`${SPEECH}.....${SPEECH}.....`);
    answer(true, 0);
    hear(".....");
    expect(types()).toEqual(["speech_started 1"]);
    answer(false);
    hear(`${quiet(3000)}${SPEECH}..`);
    expect(types()).toEqual(["speech_started 1"]);
  });

  test("is ended by the silence where the settings change to server_vad", () => {
    const { session, hear, keep, answer, types } = openConversation(semantic());
    hear(`${SPEECH}.....`);
    answer(false);
    const turnDetection = { ...openConversation().session.settings.turnDetection! };
    keep(session.update({ ...session.settings, turnDetection }, "en", "session.updated"));
    answer(false);
    hear(quiet(500));
    expect(types()).toContain(ended);
  });
});

describe("the turn detector is made ready", () => {
  const ready = ({ effects }: ReturnType<typeof openConversation>) =>
    effects.filter((effect) => effect.do === "expectTurns").length;

  test("when a session starts with semantic turn detection, and not without", () => {
    const semantically = openConversation(semantic());
    semantically.keep(semantically.session.start());
    expect(ready(semantically)).toBe(1);
    const plain = openConversation();
    plain.keep(plain.session.start());
    expect(ready(plain)).toBe(0);
  });

  test("when a session changes to it", () => {
    const conversation = openConversation();
    const settings = { ...conversation.session.settings, ...openConversation(semantic()).session.settings };
    conversation.keep(conversation.session.update(settings, "en", "session.updated"));
    expect(ready(conversation)).toBe(1);
  });
});

describe("for any audio and any answers", () => {
  const picture = fc.string({ unit: fc.constantFrom(".", "#", "~"), minLength: 1, maxLength: 60 });
  const answers = fc.array(fc.constantFrom(true, false, null), { minLength: 1, maxLength: 20 });

  /** The events of it, and how often the turn detector was asked. */
  function run(change: Change, whole: string, replies: (boolean | null)[]) {
    const conversation = openConversation(change);
    let asked = 0;
    for (const window of whole) {
      conversation.hear(window);
      const { length } = conversation.effects.filter((effect) => effect.do === "detectTurn");
      const answer = replies[asked % replies.length]!;
      if (length > asked && answer !== null) conversation.answer(answer);
      asked = length;
    }
    return { asked, types: conversation.types(), events: conversation.events() };
  }

  test("silence longer than the limit leaves no turn open", () => {
    fc.assert(
      fc.property(picture, answers, (whole, replies) => {
        const { types } = run(semantic("high"), whole + quiet(2000 + WINDOW_MS), replies);
        const count = (name: string) => types.filter((type) => type.startsWith(name)).length;
        expect(count("speech_stopped")).toBe(count("speech_started"));
      }),
    );
  });

  test("a silence is asked about six times at most", () => {
    fc.assert(
      fc.property(picture, answers, (speech, replies) => {
        const spoken = `#${speech.replaceAll(/[.~]/g, "#")}`;
        expect(run(semantic("low"), spoken + quiet(9000), replies).asked).toBeLessThanOrEqual(6);
      }),
    );
  });

  test("without an answer the silence decides as if nobody had been asked", () => {
    fc.assert(
      fc.property(picture, (whole) => {
        const audio = whole + quiet(900);
        const server = { type: "server_vad", silence_duration_ms: 800 } as const;
        const bounded = audio.replaceAll("~", "."); // a murmur has another limit
        const stops = ({ events }: ReturnType<typeof run>) =>
          events.flatMap(({ audio_end_ms }) => audio_end_ms ?? []);
        expect(stops(run(semantic(), bounded, [null]))).toEqual(
          stops(run({ turnDetection: server }, bounded, [null])),
        );
      }),
    );
  });
});
