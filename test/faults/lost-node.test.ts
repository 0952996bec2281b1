/**
 * Promise: where one of several API nodes is lost in the midst of its work, its callers learn of it at once, what it had charged
 * stands, what it had not delivered is not charged later, and its slots are free when their leases end.
 */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { LEASE_MS } from "../../src/limits/limits.ts";
import { dial } from "../api/v1/realtime/live.ts";
import { openCli } from "../cli/process.ts";
import { until } from "../until.ts";
import { admittedOf, lift } from "./load.ts";
import { openPostgres, openRedis } from "./server-fixture.ts";

const MINUTES_MS = 240_000;
const SLOTS = 3;
const SENTENCE = "The harbour lights came on one by one while the last boats turned for home. ";
const LONG = SENTENCE.repeat(100).trim();

const fixture = await openPostgres();
const redis = await openRedis();
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
});
const canRun = fixture !== null && redis !== null && installedFamilies().has("sphinx");
const unless = canRun
  ? ""
  : " (skipped: needs PostgreSQL at 127.0.0.1:5432, redis-server and libpocketsphinx)";

type Event = { endpoint: string; quantity: number };
const eventsOf = async () =>
  (await fixture!.query("select endpoint, quantity from usage_event order by created_at")) as Event[];

/** Audio that was decoded is held while it is recognized. */
async function isRecognizing(url: string): Promise<boolean> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return /^loquat_engine_tasks\{[^}]*sphinx[^}]*\} [1-9]/m.test(text);
}

test.skipIf(!canRun)(
  `a node that is killed while it speaks, listens and transcribes leaves its slots and charges as documented${unless}`,
  async () => {
    using cli = openCli();
    const shared = { DATABASE_URL: fixture!.url, REDIS_URL: redis!.url };
    const steady = await cli.serve(shared);
    const organization = await lift(cli, shared);
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    const headers = { authorization: `Bearer ${key}` };
    const speech = (url: string, input: string, fields: object) =>
      fetch(`${url}/v1/audio/speech`, {
        ...{ method: "POST", headers },
        body: JSON.stringify({ model: "svc-tts1", voice: "male-deep", input, ...fields }),
      });
    const recording = await (
      await speech(steady.url, SENTENCE.repeat(8), { response_format: "wav" })
    ).bytes();
    await cli.run(["org", "set-limits", organization, "--concurrency", String(SLOTS)], shared);
    const mortal = await cli.serve(shared);
    const before = (await eventsOf()).length;

    const stream = await speech(mortal.url, LONG, { response_format: "pcm", stream: true });
    const reader = stream.body!.getReader();
    await reader.read();
    const live = await dial({ url: mortal.url, key });
    await live.until("created");
    let sent = 0;
    await until(async () => {
      live.append(new Uint8Array(24_000));
      sent += 0.5;
      return (await eventsOf()).some(({ endpoint }) => endpoint === "/v1/realtime");
    }, 100);
    const form = new FormData();
    form.set("model", "svc-stt1");
    form.set("file", new File([recording], "recording.wav"));
    const body = { method: "POST", headers, body: form };
    const transcript = fetch(`${mortal.url}/v1/audio/transcriptions`, body).then(
      ({ status }) => status,
      () => "lost",
    );
    await until(() => isRecognizing(mortal.url));
    expect(await admittedOf([steady.url], key, 1)).toBe(0);

    const killedMs = Date.now();
    await mortal.stop("SIGKILL");
    expect(await transcript).toBe("lost");
    expect((await live.closed).code).toBe(1006);
    await until(async () => (await reader.read().catch(() => ({ done: true }))).done);

    await until(async () => (await admittedOf([steady.url], key, 1)) === 1, 500);
    expect(Date.now() - killedMs).toBeLessThan(2 * LEASE_MS);
    expect(await until(async () => (await admittedOf([steady.url], key, SLOTS)) === SLOTS, 500)).toBe(true);
    await steady.stop();
    const events = (await eventsOf()).slice(before);
    const of = (endpoint: string) => events.filter((event) => event.endpoint === endpoint);
    expect(of("/v1/audio/speech").filter(({ quantity }) => quantity === LONG.length)).toHaveLength(1);
    expect(of("/v1/audio/transcriptions")).toEqual([]);
    const heard = of("/v1/realtime").map(({ quantity }) => quantity);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toBeWithin(5, sent + 0.01);
    const { code, out } = await cli.run(["ledger", "verify"], shared);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
  },
  MINUTES_MS,
);
