/**
 * Promise: whatever callers, clients, models and voices do, in whatever order, each response ends once, and clients never
 * see an event of something that they do not know.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ServerEvent } from "../../../src/realtime/events.ts";
import { expectOrder } from "../../api/v1/conversation/talk.ts";
import type { ServerEvent as SentEvent } from "../../api/v1/realtime/live.ts";
import { Machine } from "./machine.ts";

const TEXTS = [
  "Good ",
  "morning, ",
  "Ada. ",
  "It is sunny today in Oslo, ",
  "and warm.\n",
  "So? ",
  "```code ",
  "``` ",
  "😀 ",
];
const text = fc.constantFrom(...TEXTS);

const lastItem = ({ events }: Machine): string =>
  (events().findLast(({ type }) => type === "conversation.item.added")?.item as { id: string } | undefined)
    ?.id ?? "none";

const step: fc.Arbitrary<(machine: Machine) => void> = fc.oneof(
  fc
    .string({ unit: fc.constantFrom(".", "#"), maxLength: 40 })
    .map((picture) => (machine: Machine) => machine.hear(picture)),
  fc
    .constantFrom("", "hello", "what time is it")
    .map((words) => (machine: Machine) => machine.transcribe(words)),
  fc.constantFrom("", "hello", "what time is it").map((words) => (machine: Machine) => machine.guess(words)),
  text.map((each) => (machine: Machine) => machine.write(each)),
  text.map((each) => (machine: Machine) => machine.write(each, "complete")),
  fc.constant((machine: Machine) => machine.write("", "limit")),
  fc.constant((machine: Machine) => machine.call("weather")),
  fc.constant((machine: Machine) => machine.fail()),
  fc.constant((machine: Machine) => machine.expire()),
  fc.constant((machine: Machine) => machine.speak()),
  fc.integer({ min: 1, max: 30 }).map((count) => (machine: Machine) => {
    for (let index = 0; index < count; index++) machine.speak();
  }),
  fc.integer({ min: 0, max: 3000 }).map((ms) => (machine: Machine) => machine.pass(ms)),
  fc.boolean().map(
    (isInConversation) => (machine: Machine) =>
      machine.act(() =>
        machine.dialogue.respond({
          settings: machine.dialogue.settings,
          isInConversation,
          input: null,
          metadata: null,
        }),
      ),
  ),
  fc.constant((machine: Machine) => machine.act(() => machine.dialogue.answering.cancel(null))),
  fc
    .integer({ min: 0, max: 5000 })
    .map((ms) => (machine: Machine) => machine.act(() => machine.dialogue.truncate(lastItem(machine), ms))),
  fc.constant((machine: Machine) => machine.act(() => machine.dialogue.delete(lastItem(machine)))),
  fc.constant((machine: Machine) => machine.act(() => machine.dialogue.retrieve(lastItem(machine)))),
  fc.constant((machine: Machine) => machine.keep(machine.session.clear())),
);

/** All that is under way ends. */
function settle(machine: Machine): void {
  machine.hear(".".repeat(60));
  for (let round = 0; round < 20; round++) {
    machine.transcribe("");
    machine.write("The end.", "complete");
    for (let index = 0; index < 400; index++) machine.speak();
  }
}

const ofResponse = (events: ServerEvent[], type: string, itemId: unknown) =>
  events.filter((event) => event.type === type && event.item_id === itemId);

describe("a conversation", () => {
  test("ends each response once, in order, with the text that was told", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const machine = new Machine();
        for (const each of steps) each(machine);
        settle(machine);
        const events = machine.events();
        expectOrder(events as SentEvent[]);
        const count = (type: string) => events.filter((event) => event.type === type).length;
        expect(count("response.done")).toBe(count("response.created"));
        expect(machine.dialogue.answering.isBusy).toBe(false);
        for (const done of events.filter(({ type }) => type === "response.output_audio_transcript.done")) {
          const told = ofResponse(events, "response.output_audio_transcript.delta", done.item_id);
          expect(told.map(({ delta }) => delta).join("")).toBe(done.transcript as string);
        }
        const calls = events.filter(({ type }) => type.startsWith("response.function_call_arguments"));
        expect(calls.length % 2).toBe(0);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test("sends no sound of an answer that its caller has interrupted", () => {
    const between = fc.array(step, { maxLength: 10 });
    const spoken = { before: fc.nat(30), windows: fc.integer({ min: 1, max: 30 }), after: between };
    let interruptions = 0;
    fc.assert(
      fc.property(fc.record(spoken), ({ before, windows, after }) => {
        const machine = new Machine();
        const { settings } = machine.dialogue;
        const asked = { settings, isInConversation: true, input: null, metadata: null };
        machine.act(() => machine.dialogue.respond(asked));
        machine.write("It is sunny today in Oslo, and warm. You need no coat. ", "complete");
        for (let index = 0; index < before; index++) machine.speak();
        machine.hear("#".repeat(windows));
        for (const each of after) each(machine);
        settle(machine);
        const events = machine.events();
        const started = events.findIndex(({ type }) => type === "input_audio_buffer.speech_started");
        const first = events.find(({ type }) => type === "response.created")!.response as { id: string };
        const done = events.findIndex(
          ({ type, response }) => type === "response.done" && (response as typeof first).id === first.id,
        );
        if (started < 0 || done < started) return;
        interruptions++;
        const late = events
          .slice(started)
          .filter(({ type, response_id }) => response_id === first.id && type.endsWith(".delta"));
        expect(late).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect(interruptions).toBeGreaterThan(20);
  }, 120_000);
});
