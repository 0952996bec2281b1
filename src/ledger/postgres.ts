/**
 * The ledger's PostgreSQL store, for several nodes at once.
 *
 * A batch is one transaction of two round trips, whatever its size: lock the accounts and load their rows, apply in
 * memory, save and commit. After a lost connection it is retried with the same ids, so that a commit whose response was
 * lost is not applied twice.
 */
import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Ask, PostgresDatabase, Statement } from "../db/open-postgres.ts";
import { fromColumns, rows } from "../db/postgres/json-rows.ts";
import {
  creditAccount,
  creditGrant,
  creditReversal,
  requestLog,
  usageEvent,
  usageTotal,
} from "../db/postgres/tables.ts";
import { openAccountsRead, openLedgerReads } from "../db/queries/ledger-reads.ts";
import { type Answers, type Audit, auditOf, auditQueries } from "./audit.ts";
import { bookAll, type Changes, type Loaded, type MonthCost } from "./booking/batch.ts";
import { newAccount } from "./booking/burn-down.ts";
import { otherMonths, type RowIds, rowIdsOf } from "./booking/row-ids.ts";
import type { Name, Outcome, Write } from "./booking/write.ts";
import { leftAfter, type RecentAccounts } from "./recent-accounts.ts";
import { shareReads } from "./shared-reads.ts";
import type { Store } from "./store.ts";

const RETRY_AFTER_MS = [50, 200, 1000];
const RETRY_FOR_MS = 8000;

/**
 * `pause`: milliseconds to wait before retrying after a lost connection. `recent`: what the batches wrote answers reads;
 * without it each is of the database.
 */
export function openPostgresStore(
  database: PostgresDatabase,
  pause: (ms: number) => Promise<void> = Bun.sleep,
  recent: RecentAccounts | null = null,
): Store {
  const read = shareReads(openAccountsRead(database));
  const node: Node = { connected: database.connected, recent };
  return {
    ...openLedgerReads(database),
    account: async (organizationId, now) =>
      recent?.account(organizationId, now) ?? (await read(organizationId, now)),
    apply: (writes) => retried(() => applyAll(node, writes), pause),
    audit: (since) => audit(database, since),
    async [Symbol.asyncDispose]() {},
  };
}

type Node = { connected: PostgresDatabase["connected"]; recent: RecentAccounts | null };

/** Applies all writes together; if one fails, each alone, so that only the bad one fails. */
async function applyAll(node: Node, writes: Write[]): Promise<Outcome[]> {
  const ids = rowIdsOf(writes);
  try {
    const { outcomes, left } = await node.connected((ask) => applyBatch(ask, writes, ids));
    node.recent?.remember(left);
    return outcomes;
  } catch (error) {
    node.recent?.forget(ids.organizations);
    if (isOfTheStore(error)) throw error;
    if (writes.length === 1) return [{ error: (error as Error).message }];
    const outcomes: Outcome[] = [];
    for (const write of writes) outcomes.push(...(await applyAll(node, [write])));
    return outcomes;
  }
}

/** Two pipelined round trips, and one more if an account or a month is new. */
async function applyBatch(ask: Ask, writes: Write[], ids: RowIds) {
  const opening = [BEGIN, lock(ids), load(ids), ...loadRarely(ids)];
  let [, locked, ...rows] = await all(opening.map(ask));
  if (notHeld(ids, locked!).length > 0) {
    const again = [ROLLBACK, create(ids), ...opening]; // releases its locks before it creates accounts, so that nodes cannot deadlock
    [, , , locked, ...rows] = await all(again.map(ask));
    const missing = notHeld(ids, locked!);
    if (missing.length > 0) throw new Error(`the ledger does not hold the accounts ${missing.join(", ")}`);
  }
  const loaded = loadedFrom(rows);
  const others = otherMonths(ids, loaded.accounts);
  if (others.length > 0) loaded.months = (await ask(addUp(others))) as MonthCost[];
  const { outcomes, changes } = bookAll(loaded, writes);
  await all([save(changes), ...saveRarely(changes), COMMIT].map(ask));
  return { outcomes, left: leftAfter(loaded, changes) };
}

/** Accounts that are not locked. One that another node has just created may have been loaded without a lock. */
function notHeld({ locked }: RowIds, answer: object[]): string[] {
  const held = new Set((answer as { organization_id: string }[]).map((row) => row.organization_id));
  return locked.filter((id) => !held.has(id));
}

const ROLLBACK: Statement = { text: "rollback" };
const COMMIT: Statement = { text: "commit" };

/**
 * The server times out before the client does (`query_timeout`), so that nothing the client takes for failed is
 * applied later, except a commit whose response is lost. Plans are made once per connection, because planning takes longer
 * than loading the rows; they may be made while the tables are empty, so sequential scans are disabled.
 */
const BEGIN: Statement = {
  text: `begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
    set local plan_cache_mode = force_generic_plan;
    set local lock_timeout = '2s'; set local statement_timeout = '2s';
    set local idle_in_transaction_session_timeout = '5s'`,
};

/** Waits for all, then throws the first error: the connection is idle by then. */
async function all<T>(asked: Promise<T>[]): Promise<T[]> {
  const answers = await Promise.allSettled(asked);
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed) throw failed.reason;
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

/** Every node locks in the same order. */
const lock = ({ locked }: RowIds): Statement => ({
  name: "ledger_lock",
  text: `select organization_id from credit_account where organization_id = any($1) order by organization_id for update`,
  values: [locked],
});

const load = ({ organizations, grants, events, logs }: RowIds): Statement => ({
  name: "ledger_load",
  text: `select
    (select json_agg(credit_account) from credit_account where organization_id = any($1)) as accounts,
    (select json_agg(credit_grant) from credit_grant
      where organization_id = any($1) and remaining_micros > 0 or id = any($2)) as grants,
    (select json_agg(usage_event) from usage_event
      where (organization_id, id) in (select * from unnest($3::text[], $4::text[]))) as events,
    (select json_agg(request_log) from request_log
      where (organization_id, id) in (select * from unnest($5::text[], $6::text[]))) as logs`,
  values: [organizations, grants, ...columnsOf(events), ...columnsOf(logs)],
});

/** Queries that only some batches need. */
const loadRarely = ({ reversals, voiding }: RowIds): Statement[] => [
  ...(reversals.length === 0 ? [] : [loadReversals(reversals)]),
  ...(voiding.length === 0 ? [] : [loadSpent(voiding)]),
];

const loadReversals = (ids: string[]): Statement => ({
  name: "ledger_load_reversals",
  text: "select json_agg(credit_reversal) as reversals from credit_reversal where id = any($1)",
  values: [ids],
});

const loadSpent = (organizations: string[]): Statement => ({
  name: "ledger_load_spent",
  text: `select json_agg(credit_grant) as spent from credit_grant
    where organization_id = any($1) and remaining_micros = 0`,
  values: [organizations],
});

/** Cheap: daily sums are grouped by project, key, model and endpoint only. */
const addUp = (months: ReturnType<typeof otherMonths>): Statement => ({
  name: "ledger_months",
  text: `select asked.organization_id as "organizationId", month, "costMicros", "unmeteredMicros"
    from unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[]) as asked (organization_id, month, begins, ends)
    cross join lateral (select coalesce(sum(cost_micros), 0)::double precision as "costMicros",
        coalesce(sum(unmetered_micros), 0)::double precision as "unmeteredMicros"
      from usage_total
      where usage_total.organization_id = asked.organization_id and period = 'day'
        and start >= asked.begins and start < asked.ends) as sums`,
  values: [
    months.map(({ organizationId }) => organizationId),
    months.map(({ month }) => month),
    months.map(({ from }) => from),
    months.map(({ to }) => to),
  ],
});

const columnsOf = (names: Name[]) => [names.map(([owner]) => owner), names.map(([, id]) => id)];

function loadedFrom(loaded: object[][]): Loaded {
  type Answers = Partial<Record<keyof Loaded | "spent", object[] | null>>;
  const { accounts, grants, spent, events, reversals, logs } = Object.assign({}, ...loaded.flat()) as Answers;
  return {
    accounts: (accounts ?? []).map((each) => fromColumns(creditAccount, each)),
    months: [],
    grants: [...(grants ?? []), ...(spent ?? [])].map((each) => fromColumns(creditGrant, each)),
    events: (events ?? []).map((each) => fromColumns(usageEvent, each)),
    reversals: (reversals ?? []).map((each) => fromColumns(creditReversal, each)),
    logs: (logs ?? []).map((each) => fromColumns(requestLog, each)),
  };
}

/** Also locks accounts whose requests are only counted, because the lock protects their sums. */
const create = ({ locked }: RowIds): Statement => ({
  name: "ledger_create",
  text: `insert into credit_account select * from json_populate_recordset(null::credit_account, $1)
    on conflict do nothing`,
  values: [rows(creditAccount, locked.map(newAccount))],
});

/** One statement for the changes of most batches. */
const save = (changes: Changes): Statement => ({
  name: "ledger_save",
  text: `with
    account as (update credit_account set ${ASSIGN_ACCOUNT}
      from json_populate_recordset(null::credit_account, $1) as changed
      where credit_account.organization_id = changed.organization_id),
    burned as (update credit_grant
      set remaining_micros = changed.remaining_micros, settled_micros = changed.settled_micros
      from json_populate_recordset(null::credit_grant, $2) as changed where credit_grant.id = changed.id),
    granted as (insert into credit_grant select * from json_populate_recordset(null::credit_grant, $3)),
    used as (insert into usage_event select * from json_populate_recordset(null::usage_event, $4)),
    logged as (insert into request_log select * from json_populate_recordset(null::request_log, $5)
      on conflict (organization_id, id) do update set ${ASSIGN_LOG}),
    ended as (update request_log
      set duration_ms = had.duration_ms, first_byte_ms = had.first_byte_ms, audio_seconds = had.audio_seconds
      from json_populate_recordset(null::request_log, $7) as had
      where request_log.organization_id = had.organization_id and request_log.id = had.id),
    totalled as (insert into usage_total select * from json_populate_recordset(null::usage_total, $6)
      on conflict (${KEY_OF_TOTAL}) do update set ${ADD_TOTAL})
    select`,
  values: [
    rows(creditAccount, changes.accounts),
    rows(creditGrant, changes.burned),
    rows(creditGrant, changes.grants),
    rows(usageEvent, changes.events),
    rows(requestLog, changes.logs),
    rows(usageTotal, changes.totals),
    rows(requestLog, changes.ends),
  ],
});

function saveRarely({ reversals, voided, forgotten }: Changes): Statement[] {
  const reverse = {
    name: "ledger_reverse",
    text: "insert into credit_reversal select * from json_populate_recordset(null::credit_reversal, $1)",
    values: [rows(creditReversal, reversals)],
  };
  const forget = {
    name: "ledger_forget",
    text: `delete from request_log
      where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: columnsOf(forgotten),
  };
  const takeBack = {
    name: "ledger_void",
    text: `update usage_event set quantity = 0, cost_micros = 0, overdraft_micros = 0, burns = '[]'
      where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: columnsOf(voided.map(({ organizationId, id }) => [organizationId, id])),
  };
  return [
    ...(reversals.length > 0 ? [reverse] : []),
    ...(voided.length > 0 ? [takeBack] : []),
    ...(forgotten.length > 0 ? [forget] : []),
  ];
}

const assign = (table: PgTable, from: string): string =>
  Object.values(getTableColumns(table))
    .map(({ name }) => `${name} = ${from}.${name}`)
    .join(", ");
const ASSIGN_ACCOUNT = assign(creditAccount, "changed");
const ASSIGN_LOG = assign(requestLog, "excluded");
const SUMS = ["requests", "errors", "characters", "audio_seconds", "cost_micros", "unmetered_micros"];
const ADD_TOTAL = SUMS.map((name) => `${name} = usage_total.${name} + excluded.${name}`).join(", ");
const KEY_OF_TOTAL = Object.values(getTableColumns(usageTotal))
  .map(({ name }) => name)
  .filter((name) => !SUMS.includes(name))
  .join(", ");

async function retried<T>(work: () => Promise<T>, pause: (ms: number) => Promise<void>): Promise<T> {
  const until = performance.now() + RETRY_FOR_MS;
  for (const waitMs of RETRY_AFTER_MS) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + waitMs > until) throw error;
      await pause(waitMs);
    }
  }
  return work();
}

/**
 * Data that violates a constraint (22, 23) or a server limit (54) is an error of one write; a lost connection, a
 * deadlock or a full disk is not.
 */
function isOfTheStore(error: unknown): boolean {
  const { code } = error as { code?: string };
  return !/^(22|23|54)[0-9A-Z]{3}$/.test(code ?? "");
}

async function audit({ postgres, tables }: PostgresDatabase, since: number): Promise<Audit> {
  const ask = async (query: PostgresDatabase["query"]) => {
    const answers: Record<string, object[]> = {};
    for (const [name, asked] of Object.entries(auditQueries({ query, tables }, "postgres", since)))
      answers[name] = (await asked) as object[];
    return auditOf(answers as Answers);
  };
  return postgres.transaction((open) => ask(open as never), { isolationLevel: "repeatable read" });
}
