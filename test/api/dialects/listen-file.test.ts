/** Promise: a recording sent as Deepgram's clients send it is transcribed as they read it, for what it costs on every route. */
import { describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { freeHarness, SECOND } from "../v1/free.ts";
import { HEARD, hears, sentence, unlessRecognition } from "./recorded.ts";

const free = freeHarness();

const listen = (query: string, init: RequestInit & { body: Exclude<RequestInit["body"], undefined> }) =>
  fetch(`${free.harness.url}/v1/listen?${query}`, {
    method: "POST",
    ...init,
    headers: { authorization: `Token ${free.harness.key}`, "content-type": "audio/wav", ...init.headers },
  });

type Word = { word: string; start: number; end: number; confidence: number; punctuated_word?: string };
type Body = {
  metadata: Record<string, unknown> & { duration: number };
  results: {
    channels: {
      alternatives: { transcript: string; confidence: number; words: Word[]; paragraphs?: object }[];
      detected_language?: string;
    }[];
    utterances?: { start: number; end: number; transcript: string; words: Word[]; channel: number }[];
  };
};

const bodyOf = async (response: Response) => (await response.json()) as Body;

describe.skipIf(!hears)(`a recording${unlessRecognition}`, () => {
  test("is the body, and its words have times and confidences", async () => {
    const file = await sentence(free.harness);
    const before = await free.spent();
    await free.lastRequest(1);
    const response = await listen("model=svc-stt1&smart_format=true&utterances=true&detect_language=true", {
      body: file,
    });
    expect(response.status).toBe(200);
    const id = response.headers.get("x-request-id")!;
    expect(response.headers.get("dg-request-id")).toBe(id);
    const { metadata, results } = await bodyOf(response);
    expect(metadata).toMatchObject({
      ...{ request_id: id, channels: 1, models: ["svc-stt1"], transaction_key: expect.any(String) },
      sha256: new Bun.CryptoHasher("sha256").update(file).digest("hex"),
      created: new Date(free.harness.clock.now()).toISOString(),
    });
    const [channel] = results.channels;
    const [{ transcript, words, confidence, paragraphs }] = channel!.alternatives as [
      Body["results"]["channels"][0]["alternatives"][0],
    ];
    expect(transcript).toMatch(HEARD);
    expect(channel!.detected_language).toBe("en");
    expect(confidence).toBeWithin(0, 1.001);
    expect(words.map(({ word }) => word).join(" ")).toBe(transcript);
    for (const { start, end, punctuated_word } of words) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(punctuated_word).toBeString();
    }
    expect(paragraphs).toMatchObject({ paragraphs: [{ num_words: words.length }] });
    expect(results.utterances!.map((utterance) => utterance.transcript).join(" ")).toBe(transcript);
    expect(await free.spent()).toBe(before + Math.ceil(metadata.duration * SECOND));
    expect(await free.lastRequest(2)).toMatchObject({ endpoint: "/deepgram/v1/listen", status: 200 });
  });

  test("is heard as raw samples where its encoding and rate are named", async () => {
    const file = await sentence(free.harness);
    const response = await listen("encoding=linear16&sample_rate=24000", {
      body: file.subarray(44),
      headers: { "content-type": "application/octet-stream" },
    });
    const { results } = await bodyOf(response);
    expect(results.channels[0]!.alternatives[0]!.transcript).toMatch(HEARD);
    expect(results).not.toHaveProperty("utterances");
  });

  test("is transcribed without what no engine can do, which is named", async () => {
    const query =
      "model=svc-stt1&diarize=true&keyterm=river&numerals=true&filler_words=false&mip_opt_out=true";
    const response = await listen(query, { body: await sentence(free.harness) });
    expect(response.status).toBe(200);
    const ignored = response.headers.get("x-ignored-fields")!.split(", ").sort();
    expect(ignored).toEqual(["diarize", "keyterm", "mip_opt_out", "numerals"]);
    const { results } = await bodyOf(response);
    expect(results.channels[0]!.alternatives[0]!.words[0]).not.toHaveProperty("speaker");
  });

  test("is charged for no more than its seconds where its client leaves", async () => {
    const file = await sentence(free.harness);
    const before = await free.spent();
    await free.lastRequest(1);
    const left = new AbortController();
    const asked = listen("", { body: file, signal: left.signal }).catch(() => null);
    const { parts, organizationId } = free.harness;
    await until(async () => (await parts.limits.inFlight(organizationId, parts.clock.now())) > 0);
    left.abort();
    await asked;
    expect(await free.lastRequest(2)).toMatchObject({ status: 499 });
    expect(await free.spent()).toBeLessThanOrEqual(before + 5 * SECOND);
  });
});

describe("is refused in Deepgram's shape, and charged nothing:", () => {
  const file = new Uint8Array(100);
  type Case = [name: string, query: string, init: RequestInit, status: number, code: string, named: string];
  const json = { "content-type": "application/json" };
  const cases: Case[] = [
    [
      "a private address",
      "",
      { body: '{"url":"https://10.0.0.1/a"}', headers: json },
      400,
      "url_not_allowed",
      "10.0.0.1",
    ],
    ["no address", "", { body: '{"text":"a"}', headers: json }, 422, "validation_error", "url"],
    ["what would change the text", "redact=pci", { body: file }, 400, "unsupported_parameter", "redact"],
    [
      "channels of their own",
      "multichannel=true",
      { body: file },
      400,
      "unsupported_parameter",
      "multichannel",
    ],
    ["an unknown model", "model=no-such-model", { body: file }, 400, "invalid_model", "no-such-model"],
    ["a flag that is none", "punctuate=maybe", { body: file }, 422, "validation_error", "punctuate"],
    [
      "a rate out of range",
      "encoding=mulaw&sample_rate=1",
      { body: file },
      422,
      "validation_error",
      "sample_rate",
    ],
    ["what is no audio", "", { body: file }, 400, "invalid_audio", "audio"],
    ["an empty body", "", { body: "" }, 400, "invalid_audio", "empty"],
    ["too many keyterms", "keyterm=a&".repeat(101), { body: file }, 422, "validation_error", "keyterm"],
  ];
  test.each(cases)("%s", async (_name, query, init, status, code, named) => {
    const response = await listen(query, init as never);
    const { err_msg, ...body } = (await response.json()) as Record<string, string>;
    expect({ status: response.status, ...body }).toEqual({
      ...{ status, code, err_code: code.toUpperCase(), request_id: expect.any(String) },
    });
    expect(err_msg).toContain(named);
    expect(await free.spent()).toBe(0);
  });

  test("a file over the limit, whether its size is announced or not", async () => {
    const large = new Uint8Array(26 * 1024 * 1024);
    const streamed = new ReadableStream({
      start(controller) {
        for (let at = 0; at < large.length; at += 1 << 20)
          controller.enqueue(large.subarray(at, at + (1 << 20)));
        controller.close();
      },
    });
    for (const body of [large, streamed])
      expect(await errorOf(await listen("", { body }))).toMatchObject({
        status: 400,
        code: "file_too_large",
      });
    expect(await free.spent()).toBe(0);
  });

  test("a body that never ends", async () => {
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    expect(await errorOf(await listen("", { body: stalled }))).toMatchObject({ code: "validation_error" });
  });
});
