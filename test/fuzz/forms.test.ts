/** Promise: no form, valid or damaged, makes a transcription fail or blocks the server. */
import { expect, test } from "bun:test";
import { wavHeader } from "../../src/audio/pcm.ts";
import { type Field, form } from "../api/v1/form.ts";
import { openHarness } from "../harness.ts";
import { mutate } from "./mutate.ts";
import { promptly } from "./promptly.ts";
import { type Chance, FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";
import { oddValue } from "./values.ts";

const NAMES = [
  ...["model", "language", "languages[]", "prompt", "keywords", "keywords[]", "keywords[0]"],
  ...["response_format", "temperature", "timestamp_granularities[]", "include[]", "stream"],
  ...[
    "chunking_strategy",
    "chunking_strategy[type]",
    "chunking_strategy[__proto__]",
    "known_speaker_names[]",
  ],
  ...["known_speaker_references[]", "diarize", "num_speakers", "hotwords"],
  ...["file", "constructor", "__proto__", "[", "]", "a[b][c]", "", '"', "x".repeat(2000)],
];
const WORDS = [
  "diarized_json",
  "data:audio/wav;base64,AAAA",
  "svc-stt1",
  "en",
  "json",
  "srt",
  "true",
  "0",
  "auto",
  "word",
  "server_vad",
  "[",
  "{}",
  "[]",
];

function textOf(chance: Chance): string {
  if (chance.once(3)) return chance.pick(WORDS);
  const value = oddValue(chance);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function fieldsOf(chance: Chance): Field[] {
  const silence = new Uint8Array(320);
  const wav = Buffer.concat([wavHeader(silence.length, 16_000), silence]);
  const fields: Field[] = [];
  if (!chance.once(8)) fields.push(["model", chance.once(4) ? "svc-stt1" : "nobody"]);
  if (!chance.once(8)) fields.push(["file", wav]);
  for (let left = chance.below(6); left > 0; left--)
    fields.splice(chance.below(fields.length + 1), 0, [chance.pick(NAMES), textOf(chance)]);
  return fields;
}

test(
  "no damaged form makes a transcription fail",
  async () => {
    await using harness = await openHarness();
    const cases = await fuzz(async (chance) => {
      const made = form(fieldsOf(chance), {
        boundary: chance.pick(["x", "x-boundary", "-".repeat(60), "a".repeat(3000)]),
        quoted: chance.once(2),
        end: chance.pick(["--\r\n", "--", "", "\r\n", "--\n"]),
      });
      const body = chance.once(2) ? mutate(made.body, chance) : made.body;
      const headers = chance.once(10) ? { "content-type": "multipart/form-data; boundary=" } : made.headers;
      const response = await promptly(() =>
        harness.ask("/v1/audio/transcriptions", { method: "POST", headers, body }),
      );
      expect([200, 400, 404, 422]).toContain(response.status);
    });
    expect(cases).toBeGreaterThan(0);
    expect(harness.logged.filter(({ level }) => level === "error")).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);
