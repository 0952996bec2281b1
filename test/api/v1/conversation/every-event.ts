/** Every event of conversations that a suite's sockets are sent is kept, and parsed as the strictest clients parse it. */
import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { pythonCommand } from "../clients/python.ts";
import type { ServerEvent } from "../realtime/live.ts";

const kept: ServerEvent[][] = [];

/** Those that are there, and those that will be. */
export const keepEvents = (events: ServerEvent[]): void => void kept.push(events);

/** The schemas of the Agents SDK, which are stricter than the documentation; it exports no types for them. */
const EVENTS = join(
  dirname(Bun.resolveSync("@openai/agents-realtime", import.meta.dir)),
  "openaiRealtimeEvents.mjs",
);
const { parseRealtimeEvent } = (await import(EVENTS)) as {
  parseRealtimeEvent(event: { data: string }): { isGeneric: boolean };
};

/** Sent only to clients that set `idle_timeout_ms`, which these two never do. */
const UNKNOWN_TO_CLIENTS = "input_audio_buffer.timeout_triggered";

/** Everything that a conversation sends. */
const TYPES = [
  ...["session.created", "session.updated", "conversation.created", "error"],
  ...["speech_started", "speech_stopped", "committed", "cleared", "timeout_triggered"].map(
    (name) => `input_audio_buffer.${name}`,
  ),
  ...["added", "done", "retrieved", "deleted", "truncated"].map((name) => `conversation.item.${name}`),
  ...["delta", "completed", "failed"].map((name) => `conversation.item.input_audio_transcription.${name}`),
  ...["created", "done"].map((name) => `response.${name}`),
  ...["output_item.added", "output_item.done", "content_part.added", "content_part.done"].map(
    (name) => `response.${name}`,
  ),
  ...["output_audio", "output_audio_transcript", "output_text", "function_call_arguments"].flatMap((name) => [
    `response.${name}.delta`,
    `response.${name}.done`,
  ]),
];

/** One of the table, as the Agents SDK parses it. */
export function expectKnown(event: ServerEvent): void {
  expect(TYPES).toContain(event.type);
  expect(event.event_id).toBeString();
  const { isGeneric } = parseRealtimeEvent({ data: JSON.stringify(event) });
  if (isGeneric && event.type !== UNKNOWN_TO_CLIENTS)
    throw new Error(`the Agents SDK does not understand ${JSON.stringify(event)}`);
}

/** The last tests of a suite: all that was sent in the tests before them. */
export function testEveryEvent(): void {
  describe("every event of the tests above", () => {
    test("has a type of the table, and parses in the Agents SDK", () => {
      const events = kept.flat();
      expect(events.length).toBeGreaterThan(10);
      for (const event of events) expectKnown(event);
    });

    const { command, unless } = pythonCommand("pipecat_events.py");
    test.skipIf(!command)(`parses in Pipecat${unless}`, async () => {
      const events = kept.splice(0).flat(); // the next suite has its own
      expect(events.length).toBeGreaterThan(10);
      const lines = events.filter(({ type }) => type !== UNKNOWN_TO_CLIENTS).map((e) => JSON.stringify(e));
      const child = Bun.spawn(command!, { stdin: new Blob([lines.join("\n")]), stderr: "pipe" });
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      expect([err, await child.exited]).toEqual(["", 0]);
      expect(JSON.parse(out)).toEqual([]);
    });
  });
}
