/**
 * Promise: with `return_timing`, the events of a speech stream say when each word that the caller wrote is heard, and
 * `/dev/captioned_speech` gives the same with a whole clip, also as subtitles; an engine that does not know is refused, without a charge.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { Family } from "../../../src/engine/families/families.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import {
  kokoroContents,
  piperContents,
  supertonicContents,
} from "../../../testing/packages/families/voices.ts";
import { type Contents, packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const hasEspeak = installedFamilies().has("espeak");
const unlessEspeak = hasEspeak ? "" : " (skipped: eSpeak NG is not installed)";
const weights = mkdtempSync(join(tmpdir(), "loquat-words-"));
let plain: Harness;
let packaged: Harness;
beforeAll(async () => {
  const put = (name: string, family: Family, made: { options?: object; contents: Contents }) =>
    storePackage(weights, packageOf(name, family, made), made.contents);
  put("kokoro-82m", "kokoro", { contents: kokoroContents() });
  put("piper-de-thorsten", "vits", { contents: piperContents() });
  put("supertonic-3", "supertonic", { options: { steps: 2, pace: 1 }, contents: supertonicContents() });
  plain = await openHarness();
  packaged = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await packaged[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

type Time = { word: string; start_time: number; end_time: number };
type Event = { type: string; audio?: string; timestamps?: Time[]; usage?: { audio_seconds: number } };

const ask = (server: Harness, path: string, body: object) =>
  server.ask(path, { method: "POST", body: JSON.stringify(body) });

async function events(server: Harness, body: object): Promise<Event[]> {
  const response = await ask(server, "/v1/audio/speech", {
    model: "svc-tts1",
    response_format: "pcm",
    stream_format: "sse",
    return_timing: true,
    ...body,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-ignored-fields")).toBeNull();
  return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}

/** In order, within the audio, and none before the event that has its audio. */
function checked(all: Event[]): Time[] {
  const seconds = all.at(-1)!.usage!.audio_seconds;
  let received = 0;
  let last = 0;
  const times: Time[] = [];
  for (const { audio = "", timestamps = [] } of all) {
    for (const time of timestamps) {
      expect(time.start_time).toBeGreaterThanOrEqual(last - 0.002);
      expect(time.end_time).toBeGreaterThan(time.start_time);
      last = time.end_time;
      times.push(time);
    }
    received += Buffer.from(audio, "base64").length / 2 / TTS_SAMPLE_RATE;
  }
  expect(received).toBeCloseTo(seconds, 2);
  expect(last).toBeLessThanOrEqual(seconds + 0.001);
  return times;
}

const TEXT = "Dr. Smith paid $5.50 for 12 “apples”. He left at 5:30 pm, and then slept 😀 until two.";
const WORDS = "Dr Smith paid $5.50 for 12 apples He left at 5:30 pm and then slept until two".split(" ");

describe("the events of a stream", () => {
  test("name the caller's words of Flite, in time with the sound", async () => {
    const all = await events(plain, { voice: "male-classic", input: TEXT });
    const times = checked(all);
    expect(times.map(({ word }) => word)).toEqual(WORDS);
    const [apples, he] = [times[6]!, times[7]!];
    expect(he.start_time - apples.end_time).toBeGreaterThan(0.2); // the pause between the sentences
    const pcm = Buffer.concat(all.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    const loudest = (from: number, to: number) => {
      let peak = 0;
      for (let at = Math.ceil(from * TTS_SAMPLE_RATE); at < Math.floor(to * TTS_SAMPLE_RATE); at++)
        peak = Math.max(peak, Math.abs(pcm.readInt16LE(at * 2)));
      return peak;
    };
    for (const { start_time, end_time } of times) expect(loudest(start_time, end_time)).toBeGreaterThan(1000);
    expect(loudest(apples.end_time + 0.06, he.start_time - 0.06)).toBeLessThan(700);
  });

  test.each([
    ["female-warm", "Kokoro", "Good morning, dear world. How are you?"],
    ["male-firm", "Piper", "Guten Tag, Herr Müller! Wie geht es?"],
  ])("name the words of %s, which %s speaks", async (voice, _engine, input) => {
    const times = checked(await events(packaged, { voice, input }));
    expect(times.map(({ word }) => word)).toEqual(input.match(/\p{L}+/gu)!);
  });

  test.skipIf(!hasEspeak)(`name the words of eSpeak NG${unlessEspeak}`, async () => {
    const input = "Hola, el niño tiene 25 gatos — y «más» perros.";
    const times = checked(await events(plain, { voice: "female-sunny", input }));
    expect(times.map(({ word }) => word)).toEqual("Hola el niño tiene 25 gatos y más perros".split(" "));
  });

  test("of a model that knows its length come from the same clip", async () => {
    const all = await events(plain, { model: "svc-tts2", voice: "female-warm", input: TEXT });
    expect(checked(all).map(({ word }) => word)).toEqual(WORDS);
  });

  test("have no times unless they are asked for", async () => {
    const all = await events(plain, { voice: "male-classic", input: TEXT, return_timing: false });
    expect(all.some((event) => "timestamps" in event)).toBe(false);
  });

  test("of a long text name every word once", async () => {
    const input = Array.from({ length: 60 }, (_, index) => `Sentence number ${index} has 7 words.`).join(" ");
    const times = checked(await events(plain, { voice: "male-classic", input }));
    expect(times.map(({ word }) => word)).toEqual(input.match(/[a-z\d]+/gi)!);
  });
});

describe("a captioned clip", () => {
  const captioned = async (server: Harness, body: object) => {
    const response = await ask(server, "/dev/captioned_speech", { model: "svc-tts1", ...body });
    expect(response.status).toBe(200);
    return (await response.json()) as { audio: string; audio_format: string; timestamps: Time[] };
  };

  test.each([0.5, 1, 2])("at speed %d has the times of that pace", async (speed) => {
    const input = "The weather is very fine today, and tomorrow too.";
    const clip = await captioned(plain, { voice: "male-classic", input, speed, stream: true });
    const wav = Buffer.from(clip.audio, "base64");
    expect(clip.audio_format).toBe("audio/wav");
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    const seconds = (wav.length - 44) / 2 / TTS_SAMPLE_RATE;
    expect(clip.timestamps.map(({ word }) => word)).toEqual(input.match(/[a-z]+/gi)!);
    expect(clip.timestamps[0]!.start_time).toBeLessThan(0.1 / speed);
    expect(seconds - clip.timestamps.at(-1)!.end_time).toBeLessThan(0.1 / speed);
  });

  test("names what had no effect, and has the limits that it took from, as its document says", async () => {
    const request = { model: "svc-tts1", voice: "male-classic", input: "Good morning.", unknown: 1 };
    const { headers } = await ask(plain, "/dev/captioned_speech", request);
    const { default: document } = await import("../../../openapi.json");
    const documented = document.paths["/dev/captioned_speech"].post.responses["200"].headers;
    const limited = [...headers.keys()].filter((name) => name.startsWith("x-ratelimit-"));
    expect(headers.get("x-ignored-fields")).toBe("unknown");
    expect(limited.length).toBeGreaterThan(0);
    expect(Object.keys(documented)).toEqual(expect.arrayContaining(["x-ignored-fields", ...limited]));
  });

  test("may be compressed, and long", async () => {
    const input = "The weather is very fine today. ".repeat(30);
    const clip = await captioned(plain, { voice: "male-classic", input, response_format: "mp3" });
    expect(clip.audio_format).toBe("audio/mpeg");
    expect(Buffer.from(clip.audio, "base64").length).toBeGreaterThan(50_000);
    expect(clip.timestamps.length).toBe(180);
  });
});

describe("subtitles of a captioned clip", () => {
  const input = "Good <b>morning</b>. [pause 900ms] Tom & Ann are [pause 100ms] here.";
  const captioned = async (body: object) =>
    ask(plain, "/dev/captioned_speech", { model: "svc-tts1", voice: "male-classic", input, ...body });
  const subtitles = async (caption_format: string | null) =>
    (await (await captioned({ caption_format })).json()) as { timestamps: Time[]; captions?: string };

  test("are of the format that is asked for, with the text as it is written and the times of its words", async () => {
    const clip = await subtitles("vtt");
    const cues = clip.captions!.split("\n\n");
    expect(cues.map((cue) => cue.split("\n").at(-1))).toEqual([
      "WEBVTT",
      "Good morning.",
      "Tom &amp; Ann are here.",
      "",
    ]);
    const clock = (seconds: number) => `00:00:${seconds.toFixed(3).padStart(6, "0")}`;
    const [first, second, third] = clip.timestamps;
    expect(cues[1]).toStartWith(`${clock(first!.start_time)} --> ${clock(second!.end_time)}\n`);
    expect(cues[2]).toStartWith(
      `${clock(third!.start_time)} --> ${clock(clip.timestamps.at(-1)!.end_time)}\n`,
    );
    const srt = await subtitles("srt");
    expect(srt.captions).toStartWith(`1\n${clock(first!.start_time).replace(".", ",")} --> `);
    expect(srt.captions).toContain("\nTom & Ann are here.\n\n");
    expect(srt.timestamps).toEqual(clip.timestamps);
  });

  test("are absent where they are not asked for", async () => {
    expect((await subtitles(null)).captions).toBeUndefined();
  });

  test("of an unknown format are refused, and without a captioned clip there is no place for them", async () => {
    const before = await plain.parts.ledger.totals(plain.organizationId);
    expect(await errorOf(await captioned({ caption_format: "ass" }))).toMatchObject({
      ...{ status: 422, code: "validation_error", param: "caption_format" },
    });
    expect(await plain.parts.ledger.totals(plain.organizationId)).toEqual(before);
    const speech = await ask(plain, "/v1/audio/speech", {
      ...{ model: "svc-tts1", voice: "male-classic", input: "Hello.", caption_format: "vtt" },
    });
    expect(speech.headers.get("x-ignored-fields")).toBe("caption_format");
  });
});

describe("refused, without a charge", () => {
  const spent = async () => (await packaged.parts.ledger.totals(packaged.organizationId)).costMicros;

  test("a voice whose engine does not know when words are heard", async () => {
    const before = await spent();
    const body = {
      model: "svc-tts2",
      voice: "female-warm",
      input: "Hello.",
      stream_format: "sse",
      return_timing: true,
    };
    const error = await errorOf(await ask(packaged, "/v1/audio/speech", { ...body, response_format: "pcm" }));
    expect(error).toMatchObject({ status: 400, code: "word_times_not_supported", param: "return_timing" });
    expect(error.message).toContain("supertonic-3 does not tell when words are heard");
    const whole = await errorOf(
      await ask(packaged, "/dev/captioned_speech", {
        model: "svc-tts2",
        voice: "female-warm",
        input: "Hello.",
      }),
    );
    expect(whole.code).toBe("word_times_not_supported");
    expect(await spent()).toBe(before);
  });

  test("a return_timing that is no boolean", async () => {
    const body = { model: "svc-tts1", voice: "male-classic", input: "Hello.", return_timing: "yes" };
    expect(await errorOf(await ask(plain, "/v1/audio/speech", body))).toMatchObject({
      status: 422,
      param: "return_timing",
    });
  });

  test("a captioned clip without a key", async () => {
    const response = await plain.ask("/dev/captioned_speech", {
      method: "POST",
      headers: { authorization: "" },
      body: "{}",
    });
    expect((await errorOf(response)).status).toBe(401);
  });
});

test("without events there is no place for times, and return_timing is named as ignored", async () => {
  const body = { model: "svc-tts1", voice: "male-classic", input: "Hello.", return_timing: true };
  const response = await ask(plain, "/v1/audio/speech", body);
  expect(response.status).toBe(200);
  expect(response.headers.get("x-ignored-fields")).toBe("return_timing");
});
