/**
 * An organization that was busy for ninety days: a million requests and as many charges, by twenty keys and four
 * models, the same every time. Written directly to the tables, a day at a time.
 */
import { getTableColumns, getTableName, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { PostgresDatabase } from "../../src/db/open-postgres.ts";
import type { SqliteDatabase } from "../../src/db/open-sqlite.ts";
import type { UsageEvent } from "../../src/ledger/booking/burn-down.ts";
import { rollUp } from "../../src/ledger/booking/rollup.ts";
import type { RequestLog } from "../../src/ledger/booking/write.ts";

const DAYS = 90;
export const REQUESTS = 1_000_000;
const START = Date.UTC(2026, 0, 1) / 1000;
export const END = START + DAYS * 86_400;
export const OWNER = "org_bench";
/** Used once a day. */
export const RARE_KEY = "key_rare";

const PER_DAY = Math.ceil(REQUESTS / DAYS);
const STEP_MS = (DAYS * 86_400_000) / REQUESTS;
const KEYS = 19;
const MODELS = 4;

/** The `at`th request of all. */
export function idOf(index: number): string {
  const madeMs = START * 1000 + Math.floor(index * STEP_MS);
  return `req_${madeMs.toString(36).padStart(9, "0")}${String(index).padStart(15, "0")}`;
}

function requestOf(index: number): RequestLog {
  const refused = index % 20 === 7;
  const failed = index % 1000 === 500;
  const rare = index % PER_DAY === 1234;
  const key = rare ? RARE_KEY : `key_${(index * 7919) % KEYS}`;
  const hears = index % MODELS === 3;
  return {
    id: idOf(index),
    createdAt: START + Math.floor((index * STEP_MS) / 1000),
    durationMs: 300,
    firstByteMs: 60,
    endpoint: hears ? "/v1/audio/transcriptions" : "/v1/audio/speech",
    method: "POST",
    status: failed ? (index % 500_000 === 500 ? 503 : 500) : refused ? 429 : 200,
    errorMessage: null,
    errorCode: failed
      ? index % 500_000 === 500
        ? "engine_busy"
        : "internal_error"
      : refused
        ? "rate_limit_exceeded"
        : null,
    organizationId: OWNER,
    projectId: rare ? "proj_rare" : "proj_bench",
    keyId: key,
    environment: "live",
    model: `model-${index % MODELS}`,
    voice: hears ? null : "female-warm",
    stream: false,
    responseFormat: "mp3",
    characters: hears ? null : 100,
    audioSeconds: 6.5,
    ...{ responses: null, inputTokens: null, outputTokens: null },
    costMicros: 1500,
    ip: "192.0.2.1",
    userAgent: "bench/1.0 (a client of ordinary length)",
    replayOf: null,
    endUser: null,
    label: null,
    ...{ language: null, finalTextMs: null },
  };
}

function chargeOf(log: RequestLog): UsageEvent {
  const { id, organizationId, projectId, keyId, environment, endpoint, model, createdAt } = log;
  const hears = log.characters === null;
  return {
    id: `${id}.0`,
    organizationId,
    projectId,
    keyId,
    environment,
    plan: "prepaid",
    requestId: id,
    endpoint,
    model: model!,
    unit: hears ? "second" : "character",
    quantity: hears ? 6.5 : 100,
    priceMicros: 15_000_000,
    costMicros: 1500,
    overdraftMicros: 0,
    burns: [["grant_bench", 1500]],
    month: 202601,
    createdAt,
  };
}

type Fixture = SqliteDatabase | PostgresDatabase;

/** A day at a time, whose sums are its own. */
export async function fill(database: Fixture): Promise<void> {
  const { requestLog, usageEvent, usageTotal } = database.tables;
  const logsOf = Map.groupBy(
    Array.from({ length: REQUESTS }, (_, index) => index),
    (index) => Math.floor((index * STEP_MS) / 86_400_000),
  );
  for (const numbers of logsOf.values()) {
    const logs = numbers.map(requestOf);
    const charges = logs.filter(({ status }) => status === 200).map(chargeOf);
    await save(database, requestLog, logs);
    await save(database, usageEvent, charges);
    await save(database, usageTotal, rollUp({ events: charges, voided: [], logs, known: [] }));
  }
  if ("postgres" in database) await database.postgres.execute("vacuum analyze");
}

/** All rows as one parameter. */
async function save(database: Fixture, table: SQLiteTable, rows: object[]): Promise<void> {
  const into = sql.raw(getTableName(table));
  const columns = Object.entries(getTableColumns(table));
  const values = (row: Record<string, unknown>) =>
    columns.map(([property, { name }]) => [name, row[property]]);
  const objects = rows.map((row) => Object.fromEntries(values(row as Record<string, unknown>)));
  const json = JSON.stringify(objects);
  if ("postgres" in database) {
    await database.postgres.execute(
      sql`insert into ${into} select * from json_populate_recordset(null::${into}, ${json})`,
    );
    return;
  }
  const parts = columns.map(([, { name }]) => sql.raw(`value ->> '${name}'`));
  const names = sql.raw(columns.map(([, { name }]) => name).join(", "));
  database.sqlite.run(
    sql`insert into ${into} (${names}) select ${sql.join(parts, sql`, `)} from json_each(${json})`,
  );
}
