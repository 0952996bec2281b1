/**
 * The ledger's PostgreSQL store, for several nodes at once.
 *
 * A batch is one transaction of two round trips, whatever its size: lock the accounts and load their rows, apply in
 * memory, save and commit. After a lost connection it is retried with the same ids, so that a commit whose response was
 * lost is not applied twice.
 */
import { sql } from "drizzle-orm";
import type { Ask, PostgresDatabase, Statement } from "../db/open-postgres.ts";
import { columnsOf, fromColumns, rows } from "../db/postgres/json-rows.ts";
import {
  creditAccount,
  creditGrant,
  creditReversal,
  replayableRequest,
  requestLog,
  spendAlert,
  usageEvent,
} from "../db/postgres/tables.ts";
import { openAccountsRead, openLedgerReads } from "../db/queries/ledger-reads.ts";
import { type Answers, type Audit, auditOf, auditQueries } from "./audit.ts";
import { bookAll } from "./booking/batch.ts";
import { newAccount } from "./booking/burn-down.ts";
import type { Loaded, MonthCost } from "./booking/changes.ts";
import type { BudgetCount } from "./booking/rollup.ts";
import { otherMonths, type RowIds, rowIdsOf } from "./booking/row-ids.ts";
import type { Name, Outcome, Write } from "./booking/write.ts";
import { saveAlerts } from "./postgres-alerts.ts";
import { save, saveRarely } from "./postgres-saving.ts";
import { shareReads } from "./shared-reads.ts";
import { openStatementRows } from "./statement-rows.ts";
import type { Store } from "./store.ts";
import { leftAfter, type RecentAccounts } from "./write-queue.ts";

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
    statementRows: (months) => statementRows(database, months),
    account: async (organizationId, now, periods = []) => read({ organizationId, now, periods }),
    ...(recent && { recent: recent.account }),
    apply: (writes) => retried(() => applyAll(node, writes), pause),
    audit: (now) => audit(database, now),
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
  const saving = [save(changes), ...saveRarely(changes), ...saveAlerts(changes), COMMIT];
  const [counted] = await all(saving.map(ask));
  const budgets = changes.budgets.length > 0 ? (counted as BudgetCount[]) : [];
  return { outcomes, left: leftAfter(loaded, changes, budgets) };
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

const load = ({ organizations, grants, events, logs, subjects }: RowIds): Statement => ({
  name: "ledger_load",
  text: `select
    (select json_agg(credit_account) from credit_account where organization_id = any($1)) as accounts,
    (select json_agg(credit_grant) from credit_grant
      where organization_id = any($1) and remaining_micros > 0 or id = any($2)) as grants,
    (select json_agg(usage_event) from usage_event
      where (organization_id, id) in (select * from unnest($3::text[], $4::text[]))) as events,
    (select json_agg(request_log) from request_log
      where (organization_id, id) in (select * from unnest($5::text[], $6::text[]))) as logs,
    (select json_agg(spend_alert) from spend_alert
      where organization_id = any($1) and subject = any($7)) as alerts`,
  values: [organizations, grants, ...columnsOf(events), ...columnsOf(logs), subjects],
});

/** Queries that only some batches need. */
const loadRarely = ({ reversals, corrected, voiding, replayables }: RowIds): Statement[] => [
  ...(reversals.length === 0 ? [] : [loadReversals(reversals, corrected)]),
  ...(voiding.length === 0 ? [] : [loadSpent(voiding)]),
  ...(replayables.length === 0 ? [] : [loadReplayables(replayables)]),
];

const loadReversals = (ids: string[], corrected: string[]): Statement => ({
  name: "ledger_load_reversals",
  text: "select json_agg(credit_reversal) as reversals from credit_reversal where id = any($1) or grant_id = any($2)",
  values: [ids, corrected],
});

const loadSpent = (organizations: string[]): Statement => ({
  name: "ledger_load_spent",
  text: `select json_agg(credit_grant) as spent from credit_grant
    where organization_id = any($1) and remaining_micros = 0`,
  values: [organizations],
});

const loadReplayables = (names: Name[]): Statement => ({
  name: "ledger_load_replayables",
  text: `select json_agg(replayable_request) as replayables from replayable_request
    where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
  values: columnsOf(names),
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

function loadedFrom(loaded: object[][]): Loaded {
  type Answers = Partial<Record<keyof Loaded | "spent", object[] | null>>;
  const { accounts, grants, spent, events, reversals, logs, replayables, alerts } = Object.assign(
    {},
    ...loaded.flat(),
  ) as Answers;
  return {
    accounts: (accounts ?? []).map((each) => fromColumns(creditAccount, each)),
    months: [],
    grants: [...(grants ?? []), ...(spent ?? [])].map((each) => fromColumns(creditGrant, each)),
    events: (events ?? []).map((each) => fromColumns(usageEvent, each)),
    reversals: (reversals ?? []).map((each) => fromColumns(creditReversal, each)),
    logs: (logs ?? []).map((each) => fromColumns(requestLog, each)),
    replayables: (replayables ?? []).map((each) => fromColumns(replayableRequest, each)),
    alerts: (alerts ?? []).map((each) => fromColumns(spendAlert, each)),
  };
}

/** Also locks accounts whose requests are only counted, because the lock protects their sums. */
const create = ({ locked }: RowIds): Statement => ({
  name: "ledger_create",
  text: `insert into credit_account select * from json_populate_recordset(null::credit_account, $1)
    on conflict do nothing`,
  values: [rows(creditAccount, locked.map(newAccount))],
});

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

/** Without compiling it, which takes longer than reading a million charges. */
const statementRows = ({ postgres }: PostgresDatabase, months: Parameters<Store["statementRows"]>[0]) =>
  postgres.transaction(async (open) => {
    await open.execute(sql`set local jit = off`);
    return openStatementRows({ query: open as never }, "postgres")(months);
  });

async function audit({ postgres, tables }: PostgresDatabase, now: number): Promise<Audit> {
  const ask = async (query: PostgresDatabase["query"]) => {
    const answers: Record<string, object[]> = {};
    for (const [name, asked] of Object.entries(auditQueries({ query, tables }, "postgres", now)))
      answers[name] = (await asked) as object[];
    return auditOf(answers as Answers, now);
  };
  return postgres.transaction((open) => ask(open as never), { isolationLevel: "repeatable read" });
}
