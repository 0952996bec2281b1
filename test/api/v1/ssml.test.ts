/** Promise: SSML is spoken as documented by every engine, and a wrong or hostile one costs its sender nothing but an error. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { kokoroContents, kokoroFrames } from "../../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-ssml-"));
let plain: Harness;
let kokoro: Harness;
beforeAll(async () => {
  const contents = kokoroContents();
  storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents }), contents);
  plain = await openHarness();
  kokoro = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await kokoro[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

type More = { path?: string; [field: string]: unknown };
const ask = (server: Harness, input: string, { path = "/v1/audio/speech", ...more }: More = {}) =>
  server.ask(path, {
    method: "POST",
    body: JSON.stringify({
      model: "svc-tts1",
      voice: "male-classic",
      response_format: "pcm",
      input,
      ...more,
    }),
  });

async function spoken(input: string, more: More = {}): Promise<Int16Array> {
  const response = await ask(plain, input, more);
  expect(response.status).toBe(200);
  return new Int16Array(await response.arrayBuffer());
}

describe("Flite speaks", () => {
  test.each([
    [
      "a substitute as its alias",
      '<speak>The <sub alias="doctor">Dr</sub> is here.</speak>',
      "The doctor is here.",
    ],
    [
      "letters one by one",
      '<speak>It is <say-as interpret-as="characters">xyz</say-as>.</speak>',
      "It is X Y Z.",
    ],
    [
      "marked values in words",
      '<speak>On <say-as interpret-as="date" format="dmy">1/5/2024</say-as>, <say-as interpret-as="cardinal">1995</say-as> came.</speak>',
      "On May first, twenty twenty-four, one thousand nine hundred ninety-five came.",
    ],
    ["entities as characters", "<speak>Tom &amp; Jerry</speak>", "Tom & Jerry"],
    [
      "an element with phonemes as its text",
      '<speak>A <phoneme ph="təˈmɑːtoʊ">tomato</phoneme> fell.</speak>',
      "A tomato fell.",
    ],
  ])("%s", async (_name, ssml, text) => {
    expect(await spoken(ssml)).toEqual(await spoken(text));
  });

  test("a break as silence of its length", async () => {
    const [one, two] = [await spoken("Hello there."), await spoken("How are you?")];
    const both = await spoken('<speak>Hello there.<break time="750ms"/>How are you?</speak>');
    expect(both.length).toBe(one.length + two.length + 0.75 * TTS_SAMPLE_RATE);
  });

  test("a slower part slower, and the rest at the pace of the request", async () => {
    const text = "The weather is very fine today.";
    const natural = await spoken(text);
    const slow = await spoken(`<speak><prosody rate="50%">${text}</prosody></speak>`);
    expect(slow).toEqual(await spoken(text, { speed: 0.5 }));
    expect(slow.length / natural.length).toBeCloseTo(2, 0);
    const streamed = await spoken(`<speak><prosody rate="50%">${text}</prosody></speak>`, { stream: true });
    expect(streamed).toEqual(slow);
  });

  test("words with the times of their elements", async () => {
    const ssml =
      '<speak>The <sub alias="World Wide Web">WWW</sub> of <say-as interpret-as="date" format="mdy">12/25/1990</say-as> is <prosody rate="slow">very old</prosody>.</speak>';
    const response = await ask(plain, ssml, { path: "/dev/captioned_speech" });
    const { timestamps } = (await response.json()) as {
      timestamps: { word: string; start_time: number; end_time: number }[];
    };
    expect(timestamps.map(({ word }) => word)).toEqual([
      ...["The", "WWW", "of", "12/25/1990", "is", "very", "old"],
    ]);
    expect(timestamps[1]!.end_time - timestamps[1]!.start_time).toBeGreaterThan(0.4);
  });
});

test("Kokoro speaks the phonemes of an element", async () => {
  const seconds = async (input: string) => {
    const response = await ask(kokoro, input, { voice: "female-warm" });
    expect(response.status).toBe(200);
    return (await response.arrayBuffer()).byteLength / 2 / TTS_SAMPLE_RATE;
  };
  const ipa = "bababababababa";
  const frames = kokoroFrames([0, ...kokoroIds(ipa), 0]);
  const measured = await seconds(`<speak><phoneme alphabet="ipa" ph="${ipa}">x</phoneme></speak>`);
  expect(Math.abs(measured - (frames * 600) / TTS_SAMPLE_RATE)).toBeLessThan(0.1);
});

test("SSML is charged by its characters, marks included", async () => {
  const totals = async () => await plain.parts.ledger.totals(plain.organizationId);
  const ssml = '<speak>Hello there.<break time="750ms"/></speak>';
  const before = await totals();
  await spoken(ssml);
  const after = await totals();
  expect(after.characters - before.characters).toBe(ssml.length);
});

describe("refused, with nothing charged or recorded as spoken", () => {
  test.each([
    ["a billion laughs", '<speak><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY l2 "&lol;&lol;">]>&l2;</speak>'],
    ["elements without an end", `<speak>${"<p>".repeat(2600)}`],
    ["a file of the server", '<speak><audio src="file:///etc/passwd"/></speak>'],
    ["an address", '<speak><audio src="http://169.254.169.254/"/></speak>'],
    ["attributes without an end", `<speak><sub${" alias='x'".repeat(780)}>`],
    ["a date that is none", '<speak><say-as interpret-as="date" format="mdy">2/30/2024</say-as></speak>'],
    ["60 seconds of breaks", `<speak>Hi${'<break time="10s"/>'.repeat(7)}</speak>`],
  ])("%s", async (_name, input) => {
    const before = await plain.parts.ledger.totals(plain.organizationId);
    const error = await errorOf(await ask(plain, input));
    expect(error).toMatchObject({ status: 422, code: "validation_error", param: "input" });
    expect(await plain.parts.ledger.totals(plain.organizationId)).toEqual(before);
  });

  test.each([false, true])("a value without a reading in the language, streamed: %p", async (stream) => {
    const before = await plain.parts.ledger.totals(plain.organizationId);
    const input = '<speak>Der <say-as interpret-as="ordinal">3</say-as>.</speak>';
    const error = await errorOf(await ask(plain, input, { language: "de", stream }));
    expect(error).toMatchObject({ status: 422, code: "validation_error", param: "input" });
    expect(error.message).toContain('in "de" there are characters');
    expect(await plain.parts.ledger.totals(plain.organizationId)).toEqual(before);
  });
});
