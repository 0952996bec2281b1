/**
 * Promise: an unmetered organization gets AAC under the names of other services, where FFmpeg is installed; every other
 * request for it is refused and charged nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { catalogueByPlan } from "../../../src/models/live-catalogue.ts";
import { movePlan } from "../../../src/usage/move-plan.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const STORY = "It was a long story, and he told all of it to us. ";
const unsupported = { status: 400, code: "unsupported_response_format", param: "response_format" };

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
});
afterAll(() => harness[Symbol.asyncDispose]());

const speak = (fields: object = {}, init: RequestInit = {}, from = harness) =>
  from.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "tts-1", voice: "alloy", input: STORY, response_format: "aac", ...fields }),
    ...init,
  });

/** The response formats of each model of the list. */
async function formatsOf(from = harness): Promise<Record<string, string[]>> {
  const { data } = (await (await from.ask("/v1/models?type=tts")).json()) as { data: Listed[] };
  return Object.fromEntries(data.map(({ id, speech_options }) => [id, speech_options.response_formats]));
}
type Listed = { id: string; speech_options: { response_formats: string[] } };

describe("an unmetered organization", () => {
  test.skipIf(!installed)(`gets AAC as long as the same speech in PCM${needsFfmpeg}`, async () => {
    const input = STORY.repeat(3);
    const response = await speak({ input });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/aac"]);
    const decoded = await harness.parts.decoder.decode(await response.bytes(), soleClaim());
    if ("refusal" in decoded) throw new Error(decoded.message);
    const pcm = await (await speak({ input, response_format: "pcm" })).bytes();
    const seconds = pcm.length / 2 / TTS_SAMPLE_RATE;
    expect(Math.abs(decoded.durationSeconds / seconds - 1)).toBeLessThan(0.05);
  });

  test.skipIf(!installed)(`finds AAC among the formats of aliases only${needsFfmpeg}`, async () => {
    const formats = await formatsOf();
    expect(formats["tts-1"]).toEqual(["wav", "mp3", "flac", "pcm", "opus", "aac"]);
    expect(formats["svc-tts1"]).not.toContain("aac");
  });

  test("is refused AAC under a name of the catalogue", async () => {
    const message = "svc-tts1 produces wav, mp3, flac, pcm, opus, not aac.";
    expect(await errorOf(await speak({ model: "svc-tts1" }))).toMatchObject({ ...unsupported, message });
  });
});

test("without FFmpeg, an alias is refused AAC, and the error says how to install it", async () => {
  const { catalogue, aliases } = harness.parts;
  const catalogueFor = catalogueByPlan(catalogue, () => aliases.current(), false);
  await using without = await openHarness({ plan: "unmetered", services: { catalogueFor } });
  const error = await errorOf(await speak({}, {}, without));
  expect(error).toMatchObject(unsupported);
  expect(error.message).toStartWith(
    "tts-1 (svc-tts1) produces wav, mp3, flac, pcm, opus, not aac. AAC needs FFmpeg",
  );
  expect(error.message).toContain('"npm install --include=optional"');
  expect((await formatsOf(without))["tts-1"]).not.toContain("aac");
});

test("a prepaid organization is refused AAC, whatever the name", async () => {
  await movePlan(harness.parts, harness.organizationId, "prepaid");
  harness.clock.pass(1001); // a key's organization is read once a second
  const { balanceMicros } = await harness.parts.ledger.credit(harness.organizationId);
  expect(await errorOf(await speak())).toMatchObject({ status: 400, code: "invalid_model" });
  const request = { model: "svc-tts1", voice: "female-warm" };
  const message = "svc-tts1 produces wav, mp3, flac, pcm, opus, not aac.";
  expect(await errorOf(await speak(request))).toMatchObject({ ...unsupported, message });
  expect((await harness.parts.ledger.credit(harness.organizationId)).balanceMicros).toBe(balanceMicros);
});

test("audiobooks are among the formats of jobs where FFmpeg is here, on every plan and under aliases", async () => {
  await using free = await openHarness({ plan: "unmetered" });
  await using sold = await openHarness();
  await using without = await openHarness({ plan: "unmetered", services: { encodesAac: false } });
  type Shown = { id: string; speech_options: { background_formats: string[] } };
  const offer = ({ speech_options: { background_formats: formats } }: Shown) => formats.includes("m4b");
  for (const [from, isOffered] of [
    [free, installed],
    [sold, installed],
    [without, false],
  ] as const) {
    const { data } = (await (await from.ask("/v1/models?type=tts")).json()) as { data: Shown[] };
    expect(offer(data.find(({ id }) => id === "svc-tts1")!)).toBe(isOffered);
    expect(offer((await (await from.ask("/v1/models/svc-tts1")).json()) as Shown)).toBe(isOffered);
  }
  expect(offer((await (await free.ask("/v1/models/tts-1")).json()) as Shown)).toBe(installed);
});
