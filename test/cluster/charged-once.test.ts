/** Promise: a request whose answer was lost is charged once, also where it is sent again to another node or after a kill. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { wavHeader } from "../../src/audio/pcm.ts";
import { systemClock } from "../../src/clock.ts";
import { type Config, readConfig } from "../../src/config/config.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { openLog } from "../../src/log/log.ts";
import { buildApp } from "../../src/server/app.ts";
import { openServices } from "../../src/server/services.ts";
import { firstStart, openStorage } from "../../src/server/storage.ts";
import { form as formOf } from "../api/v1/form.ts";
import { CHARACTER, COST, good, SECOND } from "../api/v1/free.ts";
import { openLossyProxy } from "../api/v1/lossy-proxy.ts";
import { standIn, voiceForm } from "../api/v1/voices/stand-in.ts";
import { openCli } from "../cli/process.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { holdRecognitions } from "../held-recognitions.ts";
import { holdTasks } from "../held-tasks.ts";
import { serveApp } from "../serve-app.ts";
import { takes, until } from "../until.ts";

const server = await openPostgres();
const unlessPostgres = server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";
const hears = installedFamilies().has("sphinx");
const folder = mkdtempSync(join(tmpdir(), "loquat-test-"));
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function openNode(id: string) {
  const data = join(folder, id);
  const config = readConfig({ LOQUAT_DATA: data, LOQUAT_PLAN: "prepaid", DATABASE_URL: server!.url });
  const parts = await openServices(
    config,
    systemClock,
    openLog("silent", () => {}),
  );
  const first = await firstStart(parts, "prepaid");
  const served = serveApp(buildApp(parts, {}));
  return {
    parts,
    first,
    url: served.origin,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await parts[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(!server)(`two nodes on PostgreSQL charge a repeated request once${unlessPostgres}`, async () => {
  await using one = await openNode("one");
  await using other = await openNode("other");
  const { organizationId, key } = one.first!;
  await using proxy = await openLossyProxy([one.url, other.url]);
  const client = new OpenAI({ apiKey: key.secret, baseURL: `${proxy.url}/v1`, maxRetries: 2 });
  const speak = async (lost: number, input: string, headers = {}) => {
    proxy.lose(lost);
    const answer = await client.audio.speech.create({ ...good, input, voice: "male-classic" }, { headers });
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  };
  const spent = async () => (await one.parts.ledger.totals(organizationId)).costMicros;
  await speak(2, good.input);
  expect(proxy.answers.map(({ replayed }) => replayed)).toEqual([null, "true", "true"]);
  expect(await spent()).toBe(COST);
  await speak(1, good.input, { "idempotency-key": "order-17" });
  expect(await spent()).toBe(2 * COST);
});

test.skipIf(!server)(
  `an original that another node is asked again for is charged once${unlessPostgres}`,
  async () => {
    await using one = await openNode("held_one");
    await using other = await openNode("held_other");
    const config = readConfig({ LOQUAT_DATA: join(folder, "held_one"), DATABASE_URL: server!.url });
    const { organizationId, key } = await keyIn(config);
    const { tasks, arrived } = holdTasks(one.parts.registry);
    const speak = (url: string, headers: Record<string, string>) =>
      fetch(`${url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify({ ...good, input: "Held back." }),
      });
    const spent = async () => (await one.parts.ledger.totals(organizationId)).costMicros;
    const before = await spent();
    const original = speak(one.url, { "x-stainless-retry-count": "0" });
    await arrived(1);
    await takes(300); // as libraries do at least
    const repeated = await speak(other.url, { "x-stainless-retry-count": "1" });
    expect([repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([200, null]);
    tasks[0]!.go();
    const answer = await original;
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect((await spent()) - before).toBe("Held back.".length * CHARACTER);

    const holder = speak(one.url, { "idempotency-key": "order-19" });
    await arrived(2);
    const keyed = () => speak(other.url, { "idempotency-key": "order-19" });
    const levels = [];
    for (let turn = 0; turn < 5; turn++) {
      await until(async () => (await other.parts.limits.inFlight(organizationId, Date.now())) <= 1);
      const refused = await keyed();
      expect(refused.status).toBe(409);
      levels.push(Number(refused.headers.get("x-ratelimit-remaining-requests")));
    }
    expect(levels.at(-1)!).toBeGreaterThanOrEqual(levels[0]!);
    tasks[1]!.go();
    expect((await holder).status).toBe(200);
  },
);

test.skipIf(!server || !hears).each([
  ["an Idempotency-Key", () => ({ "idempotency-key": "order-21" })],
  ["a count of its attempts", (count: number) => ({ "x-stainless-retry-count": String(count) })],
])(
  `a client that leaves one node and asks another again with %s pays for the rest${unlessPostgres}`,
  async (name, headers: (count: number) => Record<string, string>) => {
    await using one = await openNode(`left_${name}`);
    await using other = await openNode(`again_${name}`);
    const config = readConfig({ LOQUAT_DATA: join(folder, `left_${name}`), DATABASE_URL: server!.url });
    const { organizationId, key } = await keyIn(config);
    const nodes = [one, other].map((node) => ({ ...node, ...holdRecognitions(node.parts.registry) }));
    const wav = Buffer.concat([wavHeader(80_000, 8000), Buffer.alloc(160_000, name)]);
    const transcribe = (turn: number, signal?: AbortSignal) => {
      const { body, ...form } = formOf([
        ["model", "svc-stt1"],
        ["file", wav],
      ]);
      const authorization = `Bearer ${key}`;
      const all = { authorization, ...form.headers, ...headers(turn) };
      const init = { ...form, body, headers: all, ...(signal ? { signal } : {}) };
      return fetch(`${nodes[turn]!.url}/v1/audio/transcriptions`, init);
    };
    const spent = async () => (await one.parts.ledger.totals(organizationId)).costMicros;
    const before = await spent();
    const leave = new AbortController();
    const left = transcribe(0, leave.signal).catch(() => null);
    await (await nodes[0]!.begun(1)).recognizes(4);
    leave.abort();
    await left;
    await until(async () => (await spent()) > before);
    expect((await spent()) - before).toBe(4 * SECOND);
    const again = transcribe(1);
    (await nodes[1]!.begun(1)).ends();
    expect((await again).status).toBe(200);
    expect((await spent()) - before).toBe(10 * SECOND);
  },
);

test.skipIf(!server)(
  `a voice that is sent again to another node is made and charged once${unlessPostgres}`,
  async () => {
    await using one = await openNode("voice_one");
    await using other = await openNode("voice_other");
    for (const { parts } of [one, other]) standIn(parts);
    const config = readConfig({ LOQUAT_DATA: join(folder, "voice_one"), DATABASE_URL: server!.url });
    const { organizationId, key } = await keyIn(config);
    const record = async ({ url }: { url: string }, headers: Record<string, string>) => {
      const form = voiceForm();
      const response = await fetch(`${url}/v1/audio/voices`, {
        ...form,
        headers: { authorization: `Bearer ${key}`, ...form.headers, ...headers },
      });
      expect(response.status).toBe(200);
      return { again: response.headers.get("idempotent-replayed"), voice: await response.json() };
    };
    const state = async () => ({
      voices: (await other.parts.voices.list(organizationId)).length,
      spent: (await other.parts.ledger.totals(organizationId)).costMicros,
    });
    const kinds = [
      [{ "idempotency-key": "voice-20" }, { "idempotency-key": "voice-20" }],
      [{ "x-stainless-retry-count": "0" }, { "x-stainless-retry-count": "1" }],
    ];
    for (const [first, second] of kinds) {
      const made = await record(one, first!);
      expect(made.again).toBeNull();
      const before = await state();
      expect(await record(other, second!)).toEqual({ again: "true", voice: made.voice });
      expect(await state()).toEqual(before);
    }
  },
);

/** A new key of the first organization, which is made where there is none. */
async function keyIn(config: Config) {
  await using storage = await openStorage(config);
  await firstStart(storage, "prepaid");
  const { organization_id: organizationId, project_id: projectId } = (await storage.accounts.listKeys())[0]!;
  const of = { organizationId, projectId, environment: "live" } as const;
  const scopes = ["speech:create", "voice:create", "transcription:create"] as const;
  const key = await storage.accounts.createKey({ ...of, name: "killed", scopes, expiresAt: null });
  return { organizationId, key: key.secret };
}

test.each([{}, ...(server ? [{ DATABASE_URL: server.url }] : [])])(
  "a server that is killed once it has charged does not charge the repeated request, on %p",
  async (database) => {
    using cli = openCli();
    const environment = { LOQUAT_DATA: join(cli.folder, "data"), ...database };
    const config = readConfig(environment);
    const { organizationId, key } = await keyIn(config);
    const speak = (url: string, headers: object) =>
      fetch(`${url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify({ ...good, input: "Killed." }),
      });
    const spent = async () => {
      await using storage = await openStorage(config);
      return (await storage.ledger.totals(organizationId)).costMicros;
    };
    const before = await spent();
    let running = await cli.serve(environment);
    const kinds = [{ "idempotency-key": "order-18" }, { "x-stainless-retry-count": "0" }];
    for (const headers of kinds) expect((await speak(running.url, headers)).status).toBe(200);
    await running.stop("SIGKILL");
    const once = await spent();
    expect(once - before).toBe(2 * 7 * CHARACTER);
    running = await cli.serve(environment);
    for (const headers of [kinds[0]!, { "x-stainless-retry-count": "1" }]) {
      const again = await speak(running.url, headers);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    await running.stop("SIGKILL");
    expect(await spent()).toBe(once);
  },
);
