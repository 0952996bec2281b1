/** Promise: a live session is billed for its bytes, keeps to the limits, and ends when credit or limits run out. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Accounts, openAccounts } from "../../../../src/accounts/accounts.ts";
import type { KeyRecord } from "../../../../src/accounts/key-record.ts";
import { Refusal } from "../../../../src/errors.ts";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { spend } from "../../../billing/spending.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { dial, MANUAL, scriptedLive, silence } from "./live.ts";

setDefaultTimeout(120_000);

const SECOND = 100; // micros

async function openFree(answer?: Parameters<typeof scriptedLive>[0], free = true) {
  const harness = await openHarness({ free, services: { live: scriptedLive(answer).live } });
  const { parts, organizationId } = harness;
  return {
    harness,
    /** The row of the only session, once it says so. */
    row: (isSo: (row: { durationMs: number; status: number; audioSeconds: number | null }) => boolean) =>
      until(async () => {
        const [row] = await parts.ledger.requests(organizationId, 10);
        return row && isSo(row) && row;
      }),
    async spent() {
      const { balanceMicros, overdraftMicros } = await parts.ledger.credit(organizationId);
      return (free ? 5_000_000 : 5_000_000 + 1e12) - balanceMicros + overdraftMicros;
    },
    verified: async () => expect(differencesOf(await parts.ledger.audit())).toEqual([]),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

async function manual(harness: Harness) {
  const client = await dial(harness);
  client.update(MANUAL);
  return client;
}

/** Once the log says that so many sessions ended, their slots are free. */
async function gone({ logged }: Harness, count: number) {
  await until(() => logged.filter(({ event }) => event === "request").length >= count);
}

describe("billing of a live session", () => {
  test("includes all audio sent: committed, cleared and pending at the end", async () => {
    await using free = await openFree();
    const client = await manual(free.harness);
    client.append(silence(1.5));
    client.commit();
    await client.until("completed");
    client.append(silence(2));
    client.send("input_audio_buffer.clear");
    await client.until("cleared");
    client.append(silence(0.25));
    client.close();
    const row = await free.row(({ audioSeconds }) => audioSeconds === 3.75);
    expect(row).toMatchObject({
      endpoint: "/v1/realtime",
      method: "WS",
      status: 101,
      errorCode: null,
      model: "svc-stt1",
      stream: true,
      audioSeconds: 3.75,
      costMicros: 375,
    });
    expect(await free.spent()).toBe(375);
    await free.verified();
  });

  test("excludes an utterance that failed without a transcript", async () => {
    let count = 0;
    await using free = await openFree(() =>
      ++count === 2 ? new Refusal("transcription_failed", "No.") : "yes",
    );
    const client = await manual(free.harness);
    for (let index = 1; index <= 3; index++) {
      client.append(silence(6));
      client.commit();
      await client.until(index === 2 ? "failed" : "completed", index === 3 ? 2 : 1);
    }
    client.close();
    const row = await free.row(({ audioSeconds }) => audioSeconds === 12);
    expect(row.costMicros).toBe(12 * SECOND);
    expect(await free.spent()).toBe(12 * SECOND);
    await free.verified();
  });

  test("is in the request log while the session is open", async () => {
    await using free = await openFree();
    const client = await manual(free.harness);
    for (let index = 0; index < 3; index++) {
      client.append(silence(6));
      client.commit();
      await client.until("completed", index + 1);
    }
    client.append(silence(0.5));
    const row = await free.row(({ audioSeconds }) => (audioSeconds ?? 0) >= 12);
    expect(row).toMatchObject({ status: 101, model: "svc-stt1" });
    expect(await free.spent()).toBeGreaterThanOrEqual(12 * SECOND);
    client.close();
    await free.row(({ audioSeconds }) => audioSeconds === 18.5);
    const { requests, audioSeconds } = await free.harness.parts.ledger.totals(free.harness.organizationId);
    expect([requests, audioSeconds]).toEqual([1, 18.5]);
  });

  test("excludes a refused session", async () => {
    await using free = await openFree();
    const client = await dial(free.harness, { query: "model=nobody" });
    await client.ended();
    const row = await free.row(({ status }) => status === 400);
    expect(row).toMatchObject({ errorCode: "invalid_model", costMicros: 0, audioSeconds: null });
    expect(await free.spent()).toBe(0);
  });
});

describe("the limits of a live session", () => {
  test("are one request at its start, and a slot until its end", async () => {
    await using free = await openFree();
    const { harness } = free;
    const [first, second] = [await dial(harness), await dial(harness)];
    await Promise.all([first.until("created"), second.until("created")]);
    const third = await dial(harness);
    expect(await third.ended()).toMatchObject({
      close: 1013,
      code: "concurrency_limit_exceeded",
      type: "rate_limit_error",
      error: { retry_after: 1 },
    });
    first.close();
    await gone(harness, 2);
    const fourth = await dial(harness);
    await fourth.until("created");
    for (const client of [second, fourth]) client.close();
    await gone(harness, 4);
    for (let opened = 3; opened < 20; opened++) {
      const client = await dial(harness);
      await client.until("created");
      client.close();
      await gone(harness, opened + 2);
    }
    const last = await dial(harness);
    expect(await last.ended()).toMatchObject({ close: 1013, code: "rate_limit_exceeded" });
  });

  test("end it when its seconds run out, after the transcripts of committed audio", async () => {
    await using free = await openFree();
    const { harness } = free;
    await harness.parts.accounts.setLimits(harness.organizationId, { sttSecondsPerMinute: 10 });
    const client = await manual(harness);
    client.append(silence(8));
    client.commit();
    client.append(silence(5));
    expect(await client.ended()).toMatchObject({
      close: 1013,
      code: "rate_limit_exceeded",
      error: { retry_after: expect.any(Number) },
    });
    expect(client.types().slice(-2)).toEqual(["completed", "error"]);
    const row = await free.row(({ status }) => status === 429);
    expect(row).toMatchObject({ audioSeconds: 8, costMicros: 800 });
  });
});

describe("a live session without further credit", () => {
  test("sends the transcripts of committed audio, then the error", async () => {
    await using free = await openFree();
    const { harness } = free;
    await spend(harness.parts.ledger, {
      id: "req_before",
      organizationId: harness.organizationId,
      costMicros: 5_000_000 - 500,
      createdAt: Math.floor(harness.clock.now() / 1000),
    });
    const client = await manual(harness);
    client.append(silence(6));
    client.commit();
    await client.until("completed");
    client.append(silence(1));
    const ended = await client.ended();
    expect(ended).toMatchObject({ close: 1008, code: "insufficient_credits", type: "billing_error" });
    expect((await dial(harness).then((next) => next.ended())).code).toBe("insufficient_credits");
    await free.verified();
  });

  test("ends at the monthly limit", async () => {
    await using free = await openFree();
    const { harness } = free;
    await harness.parts.ledger.setMonthlyLimit(harness.organizationId, 500);
    const client = await manual(harness);
    client.append(silence(6));
    client.commit();
    await client.until("completed");
    client.append(silence(1));
    expect(await client.ended()).toMatchObject({ close: 1008, code: "spending_limit_reached" });
    const row = await free.row(({ status }) => status === 402);
    expect(row.errorCode).toBe("spending_limit_reached");
  });
});

describe("a live session of a key with a budget", () => {
  test("ends once its charges have used it, and the next is refused", async () => {
    await using free = await openFree(undefined, false);
    const { harness } = free;
    const { accounts, database } = harness.parts;
    const [key] = await accounts.listKeys();
    await accounts.updateKey(key!.id, { restrictions: { budget: { limit_micros: 500, interval: "month" } } });
    harness.clock.pass(1001);
    const client = await manual(harness);
    client.append(silence(6));
    client.commit();
    await client.until("completed");
    client.append(silence(1));
    expect(await client.ended()).toMatchObject({ close: 1008, code: "key_budget_reached" });
    const row = await free.row(({ status }) => status === 402);
    expect(row).toMatchObject({ errorCode: "key_budget_reached", costMicros: await free.spent() });
    const counted = await database.query.select().from(database.tables.budgetPeriod);
    expect(counted.map(({ micros }) => micros)).toEqual([row.costMicros]);
    expect((await dial(harness).then((next) => next.ended())).code).toBe("key_budget_reached");
    await free.verified();
  });
});

describe("a revoked key", () => {
  test("ends its sessions within a minute, and no others", async () => {
    await using harness = await openHarness({ services: { live: scriptedLive().live } });
    const { accounts } = harness.parts;
    const principal = await accounts.authenticate(harness.key);
    const { id, secret } = await accounts.createKey({
      projectId: principal.projectId,
      name: "short",
      environment: "live",
      scopes: ["realtime:connect"],
      expiresAt: null,
    });
    const [doomed, other] = [await dial({ url: harness.url, key: secret }), await dial(harness)];
    await Promise.all([doomed.until("created"), other.until("created")]);
    await openAccounts(harness.parts.database, harness.clock).revokeKey(id); // as another node does
    harness.clock.pass(20_000);
    expect(await doomed.ended()).toMatchObject({ close: 1008, code: "api_key_revoked" });
    other.update({});
    await other.until("updated");
    other.close();
  });

  test.each([
    ["organization_suspended", (accounts, key) => accounts.setStatus(key.organization_id, "suspended")],
    ["api_key_revoked", (accounts, key) => accounts.revokeKey(key.id)],
  ] satisfies [string, (accounts: Accounts, key: KeyRecord) => Promise<unknown>][])(
    "ends its sessions on this node at once: %s",
    async (code, end) => {
      await using harness = await openHarness({ services: { live: scriptedLive().live } });
      const { accounts } = harness.parts;
      const { id } = await accounts.createOrganization("Tenant", { plan: "unmetered" });
      const project = await accounts.defaultProject(id);
      const fields = { projectId: project!.id, name: "a", environment: "live", expiresAt: null } as const;
      const key = await accounts.createKey({ ...fields, scopes: ["realtime:connect"] });
      const client = await dial({ url: harness.url, key: key.secret });
      await client.until("created");
      await end(accounts, key);
      expect(await client.ended()).toMatchObject({ close: 1008, code });
      const late = await dial({ url: harness.url, key: key.secret });
      expect(await late.ended()).toMatchObject({ close: 1008, code });
    },
  );
});
