/** Promise: a translation that OpenAI's library sends again because its answer was lost is charged once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { manyLetters, whisperContents } from "../../../testing/packages/families/whisper.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { openLossyProxy } from "./lossy-proxy.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let harness: Harness;
beforeAll(async () => {
  const recognition = [{ uses: ["batch" as const], languages: ["en", "de"], rank: 1, translates: true }];
  const contents = whisperContents({ seed: 3, fluent: true, letters: manyLetters(600) });
  storePackage(
    weights,
    packageOf("whisper-base", "whisper", { contents, offers: { recognition } }),
    contents,
  );
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

test("two lost answers of a translation are charged once", async () => {
  const spoken = await harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "We are at the old house." }),
  });
  const file = new File([await spoken.bytes()], "a.wav");
  await using proxy = await openLossyProxy([harness.url]);
  proxy.lose(2);
  const client = new OpenAI({ apiKey: harness.key, baseURL: `${proxy.url}/v1`, maxRetries: 2 });
  await client.audio.translations.create({ model: "svc-stt1" as never, file });
  expect(proxy.answers).toEqual([
    { status: 200, replayed: null },
    { status: 200, replayed: "true" },
    { status: 200, replayed: "true" },
  ]);
  const costs = async () => {
    const rows = await harness.parts.ledger.requests(harness.organizationId, 10);
    const translations = rows.filter(({ endpoint }) => endpoint === "/v1/audio/translations");
    return translations.map(({ costMicros }) => costMicros).toSorted((a, b) => a - b);
  };
  await until(async () => (await costs()).length === 3);
  expect(await costs()).toEqual([0, 0, expect.any(Number)]);
  expect((await costs())[2]).toBeGreaterThan(0);
});
