/** Promise: docs/realtime.md names every event that a session sends or takes. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const SOURCES = ["src/realtime/events.ts", "src/realtime/session.ts", "src/api/v1/realtime/frames.ts"];
const TYPE =
  /"((?:transcription_)?session|(?:in|out)put_audio_buffer|conversation\.item|response)\.(?!audio\.)([a-z_.]+)"/g;

test("docs/realtime.md names every event of a session", () => {
  const page = read("docs/realtime.md");
  const events = SOURCES.flatMap((path) => [...read(path).matchAll(TYPE)]);
  expect(events.length).toBeGreaterThan(15);
  const isNamed = ([, family, last]: RegExpMatchArray) =>
    page.includes(`${family}.${last}`) || (page.includes(`${family}.`) && page.includes(`\`.${last}\``));
  expect(events.filter((event) => !isNamed(event)).map(([type]) => type)).toEqual([]);
});
