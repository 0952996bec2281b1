/** Promise: a job costs the price that its model has in the background, and a request the other one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { resource } from "../../../../src/resources.ts";
import { type Harness, openHarness } from "../../../harness.ts";

const hears = installedFamilies().has("sphinx");
/** Of a million seconds. */
const [PRICE, BACKGROUND] = [400_000_000, 200_000_000];

let folder: string;
let harness: Harness;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-prices-"));
  cpSync(resource("models"), folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.startsWith("svc-stt1"))) {
    const path = join(folder, name);
    const prices = { price_micros: PRICE, background_price_micros: BACKGROUND };
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...prices }));
  }
  const environment = { LOQUAT_MODELS: folder };
  harness = await openHarness({ startMs: Date.UTC(2026, 0, 2), environment });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type Job = { id: string; status: string; cost_micros: number; usage: { seconds: number } | null };

describe.skipIf(!hears)(
  `a price of its own${hears ? "" : " (skipped: libpocketsphinx is not installed)"}`,
  () => {
    test("is charged for jobs only", async () => {
      const speech = { model: "svc-tts1", voice: "male-deep", input: "We are at the old house." };
      const wav = await (
        await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) })
      ).bytes();
      const send = async (more: Record<string, string>) => {
        const body = new FormData();
        for (const [name, value] of Object.entries({ model: "svc-stt1", ...more })) body.set(name, value);
        body.set("file", new File([wav as never], "talk.wav"));
        return (await harness.ask("/v1/audio/transcriptions", { method: "POST", body })).json();
      };
      await send({});
      let job = (await send({ background: "true" })) as Job;
      while (job.status === "queued" || job.status === "in_progress")
        job = (await (await harness.ask(`/v1/audio/jobs/${job.id}?wait=60`)).json()) as Job;
      const { query, tables } = harness.parts.database;
      const charges = (await query.select().from(tables.usageEvent)).filter(({ unit }) => unit === "second");
      const [asked, done] = charges.toSorted((a, b) => b.priceMicros - a.priceMicros);
      expect([asked!.priceMicros, done!.priceMicros]).toEqual([PRICE, BACKGROUND]);
      expect(done).toMatchObject({ id: job.id, costMicros: job.cost_micros });
      expect(job.cost_micros).toBe(Math.ceil((job.usage!.seconds * BACKGROUND) / 1e6));
    });
  },
);
