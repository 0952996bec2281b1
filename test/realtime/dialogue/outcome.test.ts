/** Promise: each response that a client saw has one outcome, and a prepared answer that it never saw has none. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatRequest } from "../../../src/engine/protocol/chat.ts";
import { outcomeOf, writtenCharacters } from "../../../src/realtime/dialogue/outcome.ts";
import { Stages } from "../../../src/realtime/stages.ts";
import { Machine } from "./machine.ts";

const outcomesOf = ({ effects }: Machine) =>
  effects.flatMap((effect) => (effect.do === "over" ? [effect.outcome] : []));

function asked(machine: Machine): void {
  const { settings } = machine.dialogue;
  machine.act(() =>
    machine.dialogue.respond({ settings, isInConversation: true, input: null, metadata: null }),
  );
}

test("a prepared answer that is thrown away has no tokens to pay", () => {
  const machine = new Machine();
  machine.hear("#".repeat(20) + ".".repeat(7));
  machine.guess("what time");
  machine.write("It is noon. ", "complete");
  machine.hear("#".repeat(10));
  expect(outcomesOf(machine)).toEqual([]);
  expect(machine.dialogue.answering.leave()).toEqual([]);
});

test("one that is released has its tokens once", () => {
  const machine = new Machine();
  machine.hear("#".repeat(20) + ".".repeat(7));
  machine.guess("what time is it");
  machine.write("It is noon. ", "complete");
  machine.hear(".".repeat(12));
  machine.transcribe("what time is it");
  for (let index = 0; index < 50; index++) machine.speak();
  expect(outcomesOf(machine)).toMatchObject([
    { status: "completed", reason: "", tokens: { output: "It is noon. ".length / 4 } },
  ]);
});

test("a session that ends within a response tells its outcome", () => {
  const machine = new Machine();
  asked(machine);
  machine.write("Good morning, ");
  expect(machine.dialogue.answering.leave()).toMatchObject([
    { status: "cancelled", reason: "session_ended", tokens: { output: 4 } },
  ]);
  expect(machine.dialogue.answering.leave()).toEqual([]);
});

const request: ChatRequest = {
  ...{ messages: [], tools: [], toolChoice: "auto", parallelCalls: true },
  ...{ maxTokens: null, temperature: null, reasoning: null },
};
const usage = fc.option(fc.record({ input: fc.nat(), cached: fc.nat(), output: fc.nat() }));

test("what the model counted is paid, else what it wrote, and nothing where it wrote nothing", () => {
  const text = fc.record({ is: fc.constant("text" as const), text: fc.string() });
  fc.assert(
    fc.property(fc.array(text), usage, (parts, told) => {
      const written = parts.reduce((sum, part) => sum + writtenCharacters(part), 0);
      const end = { status: "completed", details: null } as const;
      const { tokens } = outcomeOf(new Stages(() => 0), end, { request, written, usage: told });
      if (told) expect(tokens).toEqual({ input: told.input, output: told.output });
      else if (written === 0) expect(tokens).toBeNull();
      else expect(tokens!.output).toBe(Math.ceil(parts.map((part) => part.text).join("").length / 4));
    }),
  );
});

test("a response of ten minutes ends as incomplete, with what was said of it, and the next may begin", () => {
  const machine = new Machine();
  asked(machine);
  expect(machine.effects).toContainEqual(expect.objectContaining({ do: "expire", atMs: 600_000 }));
  machine.write("It is noon. And");
  for (let index = 0; index < 3; index++) machine.speak();
  machine.expire();
  expect(machine.events().at(-1)).toMatchObject({
    type: "response.done",
    response: {
      ...{ status: "incomplete", status_details: { type: "incomplete", reason: "max_output_tokens" } },
      output: [{ status: "incomplete", content: [{ transcript: expect.stringContaining("It") }] }],
    },
  });
  expect(machine.effects.some((effect) => effect.do === "stop" && effect.what === "all")).toBe(true);
  asked(machine);
  expect(machine.events().at(-1)).toMatchObject({ type: "response.created" });
});
