/**
 * Promise: an organization that is deleted while its jobs and a batch run leaves nothing of them, neither rows nor contents, and is
 * charged for nothing that ends afterwards.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { wavHeader } from "../../src/audio/pcm.ts";
import type { EngineRegistry } from "../../src/engine/registry.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { type Fixture, openFixture, type Person } from "../api/management/server-fixture.ts";
import { STORES } from "../api/management/stores.ts";
import { form } from "../api/v1/form.ts";
import { holdRecognitions } from "../held-recognitions.ts";
import { until } from "../until.ts";
import { leftOf, openWholeTenant, storedObjects, tablesOf, type WholeTenant } from "./whole-tenant.ts";

setDefaultTimeout(120_000);

/** So long that it is recognized in pieces. */
const SECONDS = 700;
const RATE = 8000;

/** Holds the engine that would speak of the evening. */
function holdEvening(registry: EngineRegistry) {
  const real = registry.engine.bind(registry);
  const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  registry.engine = (name) => ({
    async run(...asked) {
      if (JSON.stringify(asked[0]).includes("evening")) {
        begun.resolve();
        await going.promise;
      }
      return real(name).run(...asked);
    },
  });
  return { begun: begun.promise, goOn: going.resolve };
}

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let fixture: Fixture;
  let operator: Person;
  let tenant: WholeTenant;
  let real: Fixture["parts"]["registry"]["engine"];
  beforeAll(async () => {
    store = await openStore();
    fixture = await openFixture({ environment: store.environment });
    operator = await fixture.operator("operator");
    real = fixture.parts.registry.engine;
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  /** An organization, and what asks with a key of it. */
  async function openAsking(name: string) {
    tenant = await openWholeTenant(fixture, name);
    const { accounts, ledger } = fixture.parts;
    const grant = {
      kind: "adjustment",
      amountMicros: 1e9,
      createdAt: 0,
      expiresAt: null,
      topUpId: null,
    } as const;
    await ledger.grant({
      ...grant,
      id: `grant of ${tenant.organization}`,
      organizationId: tenant.organization,
    });
    const { secret } = await accounts.createKey({
      ...{ projectId: tenant.ids.project!, name: `${name} jobs`, environment: "live", expiresAt: null },
      scopes: ["transcription:create", "speech:create"],
    });
    return async (path: string, init: RequestInit) => {
      const headers = { ...(init.headers as object), authorization: `Bearer ${secret}` };
      const response = await fixture.ask(path, { ...init, headers });
      expect(response.status).toBeOneOf([200, 202]);
      return (await response.json()) as { id: string };
    };
  }

  const eventsOf = async () => {
    const { query, tables } = fixture.parts.database;
    const rows = await query.select().from(tables.usageEvent);
    return rows.filter(({ organizationId }) => organizationId === tenant.organization).length;
  };

  async function deleteNow(name: string) {
    const path = `/api/operator/organizations/${tenant.organization}`;
    await operator.get(`POST ${path}/delete`, { name: `${name} Incorporated`, now: true });
    void fixture.parts.work.run(); // it ends with the work that runs
    await until(
      async () => (await fixture.parts.accounts.organization(tenant.organization))?.name === "deleted",
    );
    await until(async () => (await leftOf(fixture, tenant)).length === 0);
  }

  /** Also a day later, when what was left meanwhile is deleted. */
  async function expectNothing(objects: number, events: number) {
    fixture.clock.pass(25 * 3_600_000);
    await fixture.parts.work.run();
    const jobs = ["job", "jobPart", "batch", "batchLine", "file", "filePart"];
    expect((await tablesOf(fixture, tenant)).filter((name) => jobs.includes(name))).toEqual([]);
    expect(await leftOf(fixture, tenant)).toEqual([]);
    expect(await storedObjects(fixture)).toBe(objects);
    expect(await eventsOf()).toBe(events);
    expect(differencesOf(await fixture.parts.ledger.audit())).toEqual([]);
    expect(fixture.logged.filter(({ level }) => level === "error")).toEqual([]);
  }

  test("recordings that are being recognized, and the lines of a batch", async () => {
    const objects = await storedObjects(fixture);
    const ask = await openAsking("Recorded");
    const held = holdRecognitions(fixture.parts.registry);
    const samples = new Uint8Array(2 * RATE * SECONDS);
    const recording = Buffer.concat([wavHeader(samples.length / 2, RATE), samples]);
    const file = (name: string, content: Uint8Array, purpose: string) => {
      const body = new FormData();
      body.set("purpose", purpose);
      body.set("file", new File([content], name));
      return ask("/v1/files", { method: "POST", body });
    };
    const long = form([
      ["model", "svc-stt1"],
      ["background", "true"],
      ["file", recording],
    ]);
    await ask("/v1/audio/transcriptions", long);
    const first = await held.begun(1);
    await first.recognizes(30);
    const { id: stored } = await file("Recorded.wav", recording, "user_data");
    const lines = ["one", "two", "three"].map((custom_id) =>
      JSON.stringify({
        ...{ custom_id, method: "POST", url: "/v1/audio/transcriptions" },
        body: { model: "svc-stt1", file_id: stored },
      }),
    );
    const { id: input } = await file("lines.jsonl", Buffer.from(lines.join("\n")), "batch");
    const batch = { input_file_id: input, endpoint: "/v1/audio/transcriptions", completion_window: "24h" };
    await ask("/v1/batches", { method: "POST", body: JSON.stringify(batch) });
    const second = await held.begun(2);
    const events = await eventsOf();
    await deleteNow("Recorded");
    first.ends();
    second.ends();
    fixture.parts.registry.engine = real;
    await expectNothing(objects, events);
  });

  test("a text of several chapters that is being spoken", async () => {
    const objects = await storedObjects(fixture);
    const ask = await openAsking("Spoken");
    const held = holdEvening(fixture.parts.registry);
    const chapters = ["Good morning.", "Good evening."].map((input) => ({ title: "Spoken", input }));
    const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", background: true, chapters });
    const events = await eventsOf();
    await ask("/v1/audio/speech", { method: "POST", body });
    await held.begun;
    await until(async () => (await eventsOf()) > events); // the first chapter is charged
    await deleteNow("Spoken");
    fixture.parts.registry.engine = real;
    held.goOn();
    await expectNothing(objects, events + 1);
  });
});
