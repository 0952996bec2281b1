/** Promise: an answer may be prepared while its caller pauses; nothing of it is told or charged unless that is what is asked. */
import { describe, expect, test } from "bun:test";
import { Machine } from "./machine.ts";

const SPEECH = "#".repeat(20);
const PAUSE = ".".repeat(7); // 224 ms
const REST = ".".repeat(12);

function paused(words: string, change = {}): Machine {
  const machine = new Machine(change);
  machine.hear(SPEECH + PAUSE);
  machine.guess(words);
  return machine;
}

const count = ({ effects }: Machine, what: string): number =>
  effects.filter((effect) => effect.do === what).length;
const types = (machine: Machine): string[] => machine.events().map(({ type }) => type);

describe("the model is asked while the caller pauses, and its answer begins", () => {
  test("at the end of the turn, if the words are the same", () => {
    const machine = paused("what time is it");
    expect(count(machine, "ask")).toBe(1);
    machine.write("It is noon. ", "complete");
    machine.speak();
    expect(count(machine, "speak")).toBe(1);
    expect(types(machine)).not.toContain("response.created");
    machine.hear(REST);
    machine.transcribe("what time is it");
    expect([count(machine, "ask"), count(machine, "release")]).toEqual([1, 1]);
    for (let index = 0; index < 10; index++) machine.speak();
    expect(machine.events().at(-1)).toMatchObject({
      type: "response.done",
      response: { status: "completed", output: [{ content: [{ transcript: "It is noon. " }] }] },
    });
  });

  test("with the text that was written until then, where answers are not spoken", () => {
    const machine = paused("what time is it", { modality: "text" });
    machine.write("It is ");
    machine.hear(REST);
    machine.transcribe("what time is it");
    machine.write("noon.", "complete");
    expect(machine.events().at(-1)).toMatchObject({
      response: { output: [{ content: [{ text: "It is noon." }] }] },
    });
    expect(count(machine, "ask")).toBe(1);
  });
});

describe("it is asked again, and the first answer never told,", () => {
  const expectSecond = (machine: Machine) => {
    expect([count(machine, "ask"), count(machine, "release")]).toEqual([2, 0]);
    expect(machine.effects.some((effect) => effect.do === "stop" && effect.what === "all")).toBe(true);
    machine.write("Good evening.", "complete");
    for (let index = 0; index < 10; index++) machine.speak();
    expect(JSON.stringify(machine.events())).not.toContain("noon");
    expect(machine.events().at(-1)).toMatchObject({ response: { status: "completed" } });
  };

  test("if the words turn out to be others", () => {
    const machine = paused("what time");
    machine.write("It is noon. ", "complete");
    machine.hear(REST);
    machine.transcribe("what time is it in Oslo");
    expectSecond(machine);
  });

  test("if the settings are others by then", () => {
    const machine = paused("what time is it");
    machine.write("It is noon. ", "complete");
    machine.dialogue.next = { ...machine.dialogue.settings, instructions: "Be brief." };
    machine.keep(machine.session.update(machine.session.settings, "en", "session.updated"));
    machine.hear(REST);
    machine.transcribe("what time is it");
    expectSecond(machine);
  });

  test("if it failed", () => {
    const machine = paused("what time is it");
    machine.fail();
    machine.hear(REST);
    machine.transcribe("what time is it");
    expectSecond(machine);
  });
});

test("a caller who goes on is not answered, and may pause again", () => {
  const machine = paused("what time is it");
  machine.hear(SPEECH);
  expect(machine.effects.at(-1)).not.toMatchObject({ do: "ask" });
  expect(machine.effects.filter((effect) => effect.do === "stop")).toHaveLength(1);
  machine.hear(PAUSE);
  machine.guess("what time is it in Oslo");
  expect(count(machine, "ask")).toBe(2);
  expect(machine.dialogue.answering.isBusy).toBe(false);
});

test("no more than three answers are prepared in one turn", () => {
  const machine = paused("one");
  for (const words of ["one two", "one two three", "one two three four"]) machine.guess(words);
  expect(count(machine, "ask")).toBe(3);
});

test("nothing is prepared for a caller who has spoken for more than ten seconds", () => {
  const machine = new Machine();
  machine.hear("#".repeat(320) + PAUSE);
  machine.guess("what time is it");
  expect(count(machine, "ask")).toBe(0);
});

test.each([
  ["that its caller talks over", { createsResponse: true }, "#######"],
  ["that is not to be answered", { createsResponse: false }, ""],
])("nothing is prepared for a turn %s", (_which, change, more) => {
  const machine = new Machine(change);
  machine.hear(SPEECH + PAUSE + more);
  machine.guess("what time is it");
  expect(count(machine, "ask")).toBe(0);
});

test.each([
  ["turns out to have no word", REST, (machine: Machine) => machine.transcribe("")],
  ["its client clears", "", (machine: Machine) => machine.keep(machine.session.clear())],
])("an answer prepared for a turn that %s is given up", (_which, rest, end) => {
  const machine = paused("what time is it");
  machine.hear(rest);
  end(machine);
  const stopped = machine.effects.filter((effect) => effect.do === "stop" && effect.what === "all");
  expect([stopped.length, count(machine, "release")]).toEqual([1, 0]);
});
