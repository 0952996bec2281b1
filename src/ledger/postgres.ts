/**
 * The ledger's PostgreSQL store, for several nodes at once.
 *
 * A batch is one transaction of a few round trips, whatever its size: lock the accounts, load what they have, book
 * in memory, save. A connection that is lost is tried again with the same ids, so that a commit whose answer never
 * came is not booked twice.
 */
import { and, desc, eq, getTableColumns, gt, inArray, sql } from "drizzle-orm";
import type { PostgresDatabase, PostgresTransaction } from "../db/open-postgres.ts";
import { creditAccount, creditGrant, requestLog, usageEvent } from "../db/postgres.ts";
import { type Account, bookCharge, bookGrant, type Grant, newAccount, type UsageEvent } from "./book.ts";
import type { Audit, Outcome, RequestLog, Store, Totals, Write } from "./ledger.ts";

type Postgres = PostgresDatabase["postgres"];

const RETRY_AFTER_MS = [50, 200, 1000];

export function openPostgresStore({ postgres: database, transaction }: PostgresDatabase): Store {
  return {
    apply: (writes) => retried(() => applyAll(transaction, writes)),
    async account(organizationId) {
      const [found] = await database
        .select()
        .from(creditAccount)
        .where(eq(creditAccount.organizationId, organizationId));
      return found ?? null;
    },
    openGrants: (organizationId) =>
      database
        .select()
        .from(creditGrant)
        .where(and(eq(creditGrant.organizationId, organizationId), gt(creditGrant.remainingMicros, 0))),
    grants: (organizationId) =>
      database
        .select()
        .from(creditGrant)
        .where(eq(creditGrant.organizationId, organizationId))
        .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id)),
    requests: (organizationId, limit) =>
      database
        .select()
        .from(requestLog)
        .where(eq(requestLog.organizationId, organizationId))
        .orderBy(desc(requestLog.createdAt), desc(requestLog.id))
        .limit(limit),
    totals: (organizationId) => totalsOf(database, organizationId),
    audit: () => audit(database),
    async [Symbol.asyncDispose]() {},
  };
}

type Transact = PostgresDatabase["transaction"];

/** Together where all can be; where one cannot, each alone, so that it fails alone. */
async function applyAll(transaction: Transact, writes: Write[]): Promise<Outcome[]> {
  try {
    return await transaction((batch) => applyBatch(batch, writes));
  } catch (error) {
    if (isOfTheStore(error)) throw error;
    if (writes.length === 1) return [{ error: (error as Error).message }];
    const outcomes: Outcome[] = [];
    for (const write of writes) outcomes.push(...(await applyAll(transaction, [write])));
    return outcomes;
  }
}

async function applyBatch(batch: PostgresTransaction, writes: Write[]): Promise<Outcome[]> {
  const books = await loadBooks(batch, writes);
  const outcomes = writes.map((write) => book(books, write));
  await saveBooks(batch, books);
  return outcomes;
}

/** What a batch works on, and what it changed. */
type Books = {
  accounts: Map<string, Account>;
  grants: Map<string, Grant>;
  events: Map<string, UsageEvent>;
  newGrants: Grant[];
  newEvents: UsageEvent[];
  burned: Set<string>;
  logs: RequestLog[];
};

async function loadBooks(batch: PostgresTransaction, writes: Write[]): Promise<Books> {
  const priced = writes.flatMap((write) => ("log" in write ? [] : [write]));
  const organizations = [...new Set(priced.map(organizationOf))].sort();
  if (organizations.length === 0) return emptyBooks();
  await batch.insert(creditAccount).values(organizations.map(newAccount)).onConflictDoNothing();
  const accounts = await batch
    .select()
    .from(creditAccount)
    .where(inArray(creditAccount.organizationId, organizations))
    .orderBy(creditAccount.organizationId) // every node locks in the same order
    .for("update");
  const eventIds = writes.flatMap((write) => ("charge" in write ? [write.charge.id] : []));
  const grantIds = writes.flatMap((write) => ("grant" in write ? [write.grant.id] : []));
  const open = and(inArray(creditGrant.organizationId, organizations), gt(creditGrant.remainingMicros, 0));
  const grants = await batch
    .select()
    .from(creditGrant)
    .where(grantIds.length > 0 ? sql`${open} or ${inArray(creditGrant.id, grantIds)}` : open);
  const events =
    eventIds.length > 0 ? await batch.select().from(usageEvent).where(inArray(usageEvent.id, eventIds)) : [];
  return {
    ...emptyBooks(),
    accounts: new Map(accounts.map((account) => [account.organizationId, account])),
    grants: new Map(grants.map((grant) => [grant.id, grant])),
    events: new Map(events.map((event) => [event.id, event])),
  };
}

const emptyBooks = (): Books => ({
  accounts: new Map(),
  grants: new Map(),
  events: new Map(),
  newGrants: [],
  newEvents: [],
  burned: new Set(),
  logs: [],
});

function book(books: Books, write: Write): Outcome {
  if ("log" in write) {
    books.logs.push(write.log);
    return { done: true };
  }
  const account = books.accounts.get(organizationOf(write))!;
  const keep = (changed: Account) => books.accounts.set(changed.organizationId, changed);
  if ("limit" in write) {
    keep({ ...account, monthlyLimitMicros: write.limit.micros });
    return { done: true };
  }
  if ("grant" in write) {
    const known = books.grants.get(write.grant.id);
    if (known) return { grant: known };
    const booked = bookGrant(account, write.grant);
    keep(booked.account);
    books.grants.set(booked.grant.id, booked.grant);
    books.newGrants.push(booked.grant);
    return { grant: { ...booked.grant } };
  }
  const known = books.events.get(write.charge.id);
  if (known) return { event: known };
  const own = [...books.grants.values()].filter(
    ({ organizationId }) => organizationId === account.organizationId,
  );
  const booked = bookCharge(account, own, write.charge);
  keep(booked.account);
  for (const [id] of booked.event.burns) books.burned.add(id);
  books.events.set(booked.event.id, booked.event);
  books.newEvents.push(booked.event);
  return { event: booked.event };
}

async function saveBooks(batch: PostgresTransaction, books: Books): Promise<void> {
  const excluded = Object.fromEntries(
    Object.entries(getTableColumns(creditAccount)).map(([name, { name: column }]) => [
      name,
      sql.raw(`excluded.${column}`),
    ]),
  );
  if (books.accounts.size > 0)
    await batch
      .insert(creditAccount)
      .values([...books.accounts.values()])
      .onConflictDoUpdate({ target: creditAccount.organizationId, set: excluded });
  if (books.newGrants.length > 0) await batch.insert(creditGrant).values(books.newGrants);
  const burned = [...books.burned].map((id) => books.grants.get(id)!);
  if (burned.length > 0) {
    const rows = burned.map(({ id, remainingMicros }) => sql`(${id}, ${remainingMicros}::bigint)`);
    await batch.execute(sql`
      update credit_grant set remaining_micros = burned.micros
      from (values ${sql.join(rows, sql`, `)}) as burned (id, micros) where credit_grant.id = burned.id`);
  }
  if (books.logs.length > 0) await batch.insert(requestLog).values(books.logs).onConflictDoNothing();
  if (books.newEvents.length > 0) await batch.insert(usageEvent).values(books.newEvents);
}

function organizationOf(write: Exclude<Write, { log: RequestLog }>): string {
  if ("charge" in write) return write.charge.organizationId;
  return "grant" in write ? write.grant.organizationId : write.limit.organizationId;
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (const waitMs of RETRY_AFTER_MS) {
    try {
      return await work();
    } catch {
      await Bun.sleep(waitMs);
    }
  }
  return work();
}

/** A lost or refused connection, a shutdown, a deadlock, a full disk; anything else is the fault of one write. */
function isOfTheStore(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause ?? error;
  const { code } = cause as { code?: string };
  if (code === undefined) return !/constraint|violates|invalid/.test(String((cause as Error).message));
  return !/^[0-9A-Z]{5}$/.test(code) || /^(08|40|53|57|58)/.test(code);
}

async function totalsOf(database: Postgres, organizationId: string): Promise<Totals> {
  const of = (unit: string) =>
    sql<number>`coalesce(sum(quantity) filter (where unit = ${unit}), 0)::float8`.mapWith(Number);
  const [totals] = await database
    .select({
      requests: sql<number>`count(distinct request_id)`.mapWith(Number),
      characters: of("character"),
      audioSeconds: of("second"),
      costMicros: sql<number>`coalesce(sum(cost_micros), 0)`.mapWith(Number),
    })
    .from(usageEvent)
    .where(eq(usageEvent.organizationId, organizationId));
  return totals!;
}

async function audit(database: Postgres): Promise<Audit> {
  const burned = sql<number>`coalesce((select sum((burn.value ->> 1)::bigint)
    from usage_event as event, jsonb_array_elements(event.burns) as burn
    where event.organization_id = credit_grant.organization_id and burn.value ->> 0 = credit_grant.id), 0)`;
  const events = (what: string) =>
    sql<number>`(select coalesce(sum(${sql.raw(what)}), 0) from usage_event as event
    where event.organization_id = credit_account.organization_id)`.mapWith(Number);
  const torn = await database.execute<{ id: string }>(sql`
    select id from usage_event where cost_micros <> overdraft_micros +
      (select coalesce(sum((value ->> 1)::bigint), 0) from jsonb_array_elements(burns))`);
  return {
    grants: await database
      .select({ ...getTableColumns(creditGrant), burnedMicros: burned.mapWith(Number) })
      .from(creditGrant),
    accounts: await database
      .select({
        ...getTableColumns(creditAccount),
        uncoveredMicros: events("overdraft_micros"),
        settledMicros: sql<number>`(select coalesce(sum(settled_micros), 0) from credit_grant
          where credit_grant.organization_id = credit_account.organization_id)`.mapWith(Number),
        monthCostMicros: events("cost_micros * (event.month = credit_account.month)::int"),
      })
      .from(creditAccount),
    torn: torn.rows.map(({ id }) => id),
  };
}
