/**
 * Promise: an unmetered organization gets AAC under the names of other services, where FFmpeg is installed; every other
 * request for it is refused and charged nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { soleClaim } from "../../../src/engine/claim.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { movePlan } from "../../../src/usage/move-plan.ts";
import { commandsOfChildren } from "../../children.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const needsProc = process.platform === "linux" ? needsFfmpeg : " (skipped: needs /proc)";
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

/** What `look` finds, once it finds something. */
async function found<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const thing = await look();
    if (thing) return thing;
    await Bun.sleep(10);
  }
}

const encoding = () => commandsOfChildren().some((command) => command.includes("encode-aac"));

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

  test.each([{ stream: true }, { stream_format: "sse" }])("is refused AAC with %p", async (fields) => {
    const error = await errorOf(await speak(fields));
    expect(error).toMatchObject(unsupported);
    expect(error.message).toMatch(/^svc-tts1 streams [a-z, 0-9]+, not aac\./);
  });

  test.skipIf(needsProc !== "")(
    `who leaves ends the process, and is charged nothing${needsProc}`,
    async () => {
      const caller = new AbortController();
      const left = speak({ input: STORY.repeat(8) }, { signal: caller.signal }).catch(() => "left");
      await found(encoding);
      caller.abort();
      expect(await left).toBe("left");
      const { id } = await found(() =>
        harness.logged.find(({ event, status }) => event === "request" && status === 499),
      );
      await found(() => !encoding());
      const row = await found(() => harness.parts.ledger.request(harness.organizationId, String(id)));
      expect(row).toMatchObject({ status: 499, costMicros: 0 });
    },
  );
});

test("without FFmpeg, an alias is refused AAC, and the error says how to install it", async () => {
  await using without = await openHarness({ plan: "unmetered", services: { encodesAac: false } });
  const error = await errorOf(await speak({}, {}, without));
  expect(error).toMatchObject(unsupported);
  expect(error.message).toStartWith("svc-tts1 produces wav, mp3, flac, pcm, opus, not aac. AAC needs FFmpeg");
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
