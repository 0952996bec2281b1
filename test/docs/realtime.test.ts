/** Promise: docs/realtime.md and docs/conversations.md name every event that a session sends or takes. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const TRANSCRIBING = [
  "src/realtime/events.ts",
  "src/realtime/transcription-front.ts",
  "src/api/v1/realtime/frames.ts",
];
const CONVERSING = [
  "src/realtime/dialogue/dialogue.ts",
  "src/realtime/dialogue/dialogue-events.ts",
  "src/realtime/dialogue/live-response.ts",
  "src/api/v1/conversation/conversation-frames.ts",
];
const TYPE =
  /"((?:transcription_)?session|(?:in|out)put_audio_buffer|conversation\.item|response)\.(?!audio\.)([a-z_.]+)"/g;

test.each([
  [["docs/realtime.md"], TRANSCRIBING],
  [["docs/realtime.md", "docs/conversations.md"], CONVERSING],
])("%p name every event of a session", (pages, sources) => {
  const page = pages.map(read).join("");
  const events = sources.flatMap((path) => [...read(path).matchAll(TYPE)]);
  expect(events.length).toBeGreaterThan(10);
  const isNamed = ([, family, last]: RegExpMatchArray) => {
    const type = `${family}.${last}`;
    const end = type.lastIndexOf(".");
    return (
      page.includes(type) ||
      (page.includes(`${type.slice(0, end)}.`) && page.includes(`\`${type.slice(end)}\``))
    );
  };
  expect(events.filter((event) => !isNamed(event)).map(([type]) => type)).toEqual([]);
});
