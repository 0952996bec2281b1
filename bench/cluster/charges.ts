/**
 * The ledger on PostgreSQL: charges a second of one organization and of a thousand, of the ledger alone and of the whole
 * metered route, both in turns.
 */
import { readConfig } from "../../src/config/config.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openStorage } from "../../src/server/storage.ts";
import { chargeOf, grantOf, requestFor } from "../../test/contract/ledger/charges.ts";
import { openDatabase } from "../harness/postgres.ts";
import { median, type Row } from "../harness/row.ts";
import { ONE, REDIS, start, type Target } from "../requests/metered.ts";

const ORGANIZATIONS = [1, 1000];
const CALLERS = 32; // as the metered route has
const ROUNDS = 3;
const ROUND_MS = 2000;
const CREDIT_MICROS = 1e12;
const CREATED_AT = 1_780_000_000;

type Measured = { name: string; unit: string; rate: () => Promise<number> };

export async function benchCharges(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const measured: Measured[] = [];
  for (const organizations of ORGANIZATIONS) {
    const of = `of ${organizations} organization${organizations > 1 ? "s" : ""}`;
    const [alone, whole] = [await openDatabase(), await openDatabase()];
    if (alone === null || whole === null) return [];
    stack.use(alone);
    stack.use(whole);
    const charging = stack.use(await openCharging(alone.url, organizations));
    const options = { ...ONE, organizations };
    const target: Target = stack.use(await start(options, { DATABASE_URL: whole.url, REDIS_URL: REDIS }));
    measured.push({ name: `the ledger alone, charges ${of}`, unit: "charges/s", rate: charging.rate });
    measured.push({ name: `metered route, requests ${of}`, unit: "requests/s", rate: target.saturation });
  }
  for (const { rate } of measured) await rate(); // until what is hot is compiled
  const rates = measured.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, { rate }] of measured.entries()) rates[at]!.push(await rate());
  return measured.map(({ name, unit }, at) => ({
    name: `PostgreSQL: ${name}`,
    value: median(rates[at]!),
    unit,
  }));
}

async function openCharging(url: string, organizations: number) {
  const storage = await openStorage(readConfig({ DATABASE_URL: url }));
  const ids = Array.from({ length: organizations }, (_, at) => `org_${at}`);
  await Promise.all(
    ids.map((id) =>
      storage.ledger.grant(grantOf({ id: `grant_${id}`, organizationId: id, amountMicros: CREDIT_MICROS })),
    ),
  );
  let made = 0;
  const rate = async () => {
    const before = made;
    const untilMs = performance.now() + ROUND_MS;
    const caller = async () => {
      while (performance.now() < untilMs) await charge(storage.ledger, ids, made++);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return ((made - before) * 1000) / ROUND_MS;
  };
  return { rate, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}

/** With the request's row, as the metered route makes it. */
async function charge(ledger: Ledger, organizations: readonly string[], turn: number): Promise<void> {
  const id = `req_${turn}`;
  const booked = chargeOf({
    ...{ requestId: id, organizationId: organizations[turn % organizations.length]!, createdAt: CREATED_AT },
    ...{ quantity: 6, priceMicros: 15_000_000, costMicros: 90 },
  });
  await ledger.charge(
    booked,
    requestFor(booked, { characters: 6, voice: "male-classic", responseFormat: "pcm" }),
  );
}
