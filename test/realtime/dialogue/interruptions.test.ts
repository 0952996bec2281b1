/** Promise: a cough or a "mhm" does not end an answer, or only for a moment; words do, at once. */
import { describe, expect, test } from "bun:test";
import { unheardText } from "../../../src/realtime/dialogue/heard.ts";
import { isIgnored } from "../../../src/realtime/dialogue/interruption.ts";
import { INTERRUPTION, Machine } from "./machine.ts";

const TEXT = "It is sunny today in Oslo, and it is warm. You need no coat at all. Take the tram to the sea.";
const END = ".".repeat(30);

/** An answer of which about a sentence was sent; half a second of it was played. */
function answering(interruption = {}): Machine {
  const machine = new Machine({}, interruption);
  const { settings } = machine.dialogue;
  machine.act(() =>
    machine.dialogue.respond({ settings, isInConversation: true, input: null, metadata: null }),
  );
  machine.write(TEXT, "complete");
  for (let index = 0; index < 22; index++) machine.speak();
  machine.pass(500);
  return machine;
}

const words = (text: string) =>
  text.split(" ").map((each) => ({ text: each, start: 0, end: 1, confidence: 1 }));

/** Of the turn that is open. */
function hearWords(machine: Machine, text: string): void {
  const opened = machine.effects.findLast((effect) => effect.do === "open");
  if (opened?.do === "open") machine.keep(machine.session.words(opened.itemId, words(text)));
}

const has = (machine: Machine, type: string): boolean =>
  machine.events().some((event) => event.type === type);
const started = (machine: Machine): boolean => has(machine, "input_audio_buffer.speech_started");
const transcriptOf = (machine: Machine, count: number): string =>
  (machine.events().filter(({ type }) => type === "response.output_audio_transcript.done")[count - 1]
    ?.transcript as string) ?? "";

const countedOf = ({ effects }: Machine) =>
  effects.flatMap((effect) => (effect.do === "count" ? [effect.outcome] : []));

function speakOn(machine: Machine): void {
  for (let index = 0; index < 200; index++) machine.speak();
}

describe("while an answer is heard", () => {
  test("a sound of 150 ms without a word is never told", () => {
    const machine = answering();
    machine.hear(`####${END}`);
    machine.transcribe("");
    expect(started(machine)).toBe(false);
    expect(countedOf(machine)).toEqual(["ignored"]);
  });

  test("a word interrupts before a sound would", () => {
    const machine = answering();
    machine.hear("###");
    hearWords(machine, "wait");
    expect(started(machine)).toBe(true);
    expect(countedOf(machine)).toEqual(["interrupted"]);
  });

  test("listening is no turn, where that is asked for", () => {
    const machine = answering({ ignoresBackchannels: true });
    machine.hear(`${"#".repeat(15)}`);
    hearWords(machine, "mhm");
    machine.hear(END);
    machine.transcribe("");
    expect(started(machine)).toBe(false);
    expect(machine.dialogue.isBusy()).toBe(true);
  });

  test("and otherwise is one", () => {
    const machine = answering();
    machine.hear("#".repeat(15));
    expect(started(machine)).toBe(true);
  });

  test("speech of a second interrupts, whatever is said", () => {
    const machine = answering({ ignoresBackchannels: true });
    machine.hear("#".repeat(34));
    expect(started(machine)).toBe(true);
  });
});

describe("an answer that a noise has ended", () => {
  const noise = (machine: Machine) => {
    machine.hear(`####${END}`);
    machine.transcribe("");
  };

  test("goes on from the beginning of the sentence, and the model is not asked again", () => {
    const machine = answering({ afterMs: 0 });
    const asked = machine.effects.filter((effect) => effect.do === "ask").length;
    noise(machine);
    expect(started(machine)).toBe(true);
    expect(countedOf(machine)).toEqual(["interrupted", "resumed"]);
    expect(machine.effects.filter((effect) => effect.do === "ask")).toHaveLength(asked);
    speakOn(machine);
    expect(transcriptOf(machine, 2)).toBe(TEXT);
    expect(machine.events().at(-1)).toMatchObject({
      type: "response.done",
      response: { status: "completed" },
    });
  });

  test("is asked for again where nothing of it was written", () => {
    const machine = new Machine({}, { afterMs: 0 });
    machine.hear("#".repeat(20) + END);
    machine.transcribe("what time is it");
    machine.hear(`####${END}`);
    machine.transcribe("");
    expect(machine.effects.filter((effect) => effect.do === "ask")).toHaveLength(2);
    expect(machine.dialogue.isBusy()).toBe(true);
  });

  test.each(["", "##"])(
    "goes on also if the noise was taken for words while it paused, and then %p was heard",
    (more) => {
      const machine = answering({ afterMs: 0 });
      machine.hear(`####${".".repeat(7)}`);
      machine.guess("uh");
      expect(machine.effects.findLast((effect) => effect.do === "ask")).toMatchObject({ isGuess: true });
      machine.hear(more + END);
      machine.transcribe("");
      expect(countedOf(machine)).toEqual(["interrupted", "resumed"]);
      speakOn(machine);
      expect(transcriptOf(machine, 2)).toBe(TEXT);
    },
  );

  test("stays ended where that is asked for", () => {
    const machine = answering({ afterMs: 0, resumes: false });
    noise(machine);
    expect(machine.dialogue.isBusy()).toBe(false);
  });

  test("stays ended where words follow", () => {
    const machine = answering({ afterMs: 0 });
    machine.hear(`####${END}`);
    machine.transcribe("stop");
    machine.write("All right.", "complete");
    speakOn(machine);
    expect(transcriptOf(machine, 2)).toBe("All right.");
  });
});

test.each([
  ["It is sunny", TEXT],
  ["It is sunny today in Oslo, and it is warm.", "You need no coat at all. Take the tram to the sea."],
  [`${TEXT.slice(0, 60)}`, "You need no coat at all. Take the tram to the sea."],
  [TEXT, ""],
])("behind %p the rest is %p", (heard, rest) => {
  expect(unheardText(TEXT, heard, "en")).toBe(rest);
});

test.each([
  ["Mm-hmm.", true],
  ["uh-huh", true],
  ["Yeah, okay.", true],
  ["Ach so!", true],
  ["はい。", true],
  ["okay wait", false],
  ["No.", false],
])("%p is a sign of listening: %p", (text, expected) => {
  expect(isIgnored({ ...INTERRUPTION, ignoresBackchannels: true }, text)).toBe(expected);
});
