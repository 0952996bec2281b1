/**
 * Schedules of the embedded store: two servers on one file. A batch is one transaction that no other one enters, so what
 * is drawn is the order of batches, and whether one fails before its commit or loses its answer after it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { openSqlite, type SqliteDatabase } from "../../../src/db/open-sqlite.ts";
import type { Outcome, Write } from "../../../src/ledger/booking/write.ts";
import { openSqliteWriter } from "../../../src/ledger/sqlite.ts";
import { Reference, type Stored } from "./reference.ts";
import { chargeAgain, type Random, randomOf, workloadOf } from "./workload.ts";

const FAILS = 0.1;

type Fate = "well" | "before" | "after";
type Server = AsyncDisposable & { write: (writes: Write[], fate: Fate) => Outcome[] };
type Parts = { servers: Server[]; stored: (organizations: string[]) => Stored };

export async function simulateSqlite({ from, count }: { from: number; count: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-simulation-"));
  try {
    await using stack = new AsyncDisposableStack();
    const databases = [openSqlite(folder), openSqlite(folder)];
    const servers = databases.map((database) => stack.use(serverOn(database)));
    const stored = readerOf(databases[0]!);
    for (let seed = from; seed < from + count; seed++) runOne(seed, { servers, stored });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function serverOn(database: SqliteDatabase): Server {
  const { sqlite } = database;
  sqlite.run("pragma synchronous = off");
  let fate: Fate = "well";
  const { $client: connection } = sqlite;
  const transaction = (work: (writes: Write[]) => Outcome[]) =>
    connection.transaction((writes: Write[]) => {
      const outcomes = work(writes);
      if (fate === "before") throw broken();
      return outcomes;
    });
  const failing = new Proxy(sqlite, {
    get: (of, name) => (name === "$client" ? { transaction } : Reflect.get(of, name, of)),
  });
  const write = openSqliteWriter(failing);
  return {
    write(writes, nextFate) {
      fate = nextFate;
      const { outcomes } = write(writes);
      if (fate === "after") throw broken();
      return outcomes;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

const broken = () => Object.assign(new Error("the disk is gone"), { code: "SQLITE_IOERR" });

function runOne(seed: number, { servers, stored }: Parts): void {
  const random = randomOf(seed);
  const { organizations, nodes } = workloadOf(random, `org_${seed}`);
  const reference = new Reference();
  const todo = nodes.flat();
  const differs = (what: string, [actual, expected]: [unknown, unknown]) => {
    throw new Error(
      `SEED=${seed}, ${what}: ${JSON.stringify(actual)}\nthe model says: ${JSON.stringify(expected)}`,
    );
  };
  while (todo.length > 0) {
    const [writes] = todo.splice(random.below(todo.length), 1) as [Write[]];
    const fate = random.chance(FAILS) ? random.oneOf(["before", "after"] as const) : "well";
    const outcomes = attempt(() => random.oneOf(servers).write(writes, fate));
    if (fate !== "before") {
      const expected = reference.commit(writes);
      if (outcomes && !Bun.deepMatch({ all: expected }, { all: outcomes }))
        differs("answered", [outcomes, expected]);
    }
    if (!outcomes) todo.push(...next(writes, random));
    const both = reference.compare(organizations, stored(organizations));
    if (!Bun.deepEquals(...both)) differs("stored", both);
  }
}

/** Null where the store failed. */
function attempt(write: () => Outcome[]): Outcome[] | null {
  try {
    return write();
  } catch (error) {
    if ((error as { code?: string }).code !== "SQLITE_IOERR") throw error;
    return null;
  }
}

/** What follows a failure: charges are taken back, or asked for again, or left as they are. */
function next(writes: Write[], random: Random): Write[][] {
  const charges = writes.flatMap((write) => ("charge" in write ? [write.charge] : []));
  if (charges.length === 0 || random.chance(0.2)) return [];
  return [charges.map((charge) => (random.chance(0.5) ? { void: charge } : chargeAgain(charge)))];
}

/** Reads all of the organizations' rows. */
function readerOf({ sqlite, tables }: SqliteDatabase): Parts["stored"] {
  const rowsOf = (table: typeof tables.creditAccount) => {
    const ofOrganization = eq(table.organizationId, sql.placeholder("id"));
    const query = sqlite.select().from(table).where(ofOrganization).prepare();
    return (organizations: string[]) => organizations.flatMap((id) => query.all({ id })) as never;
  };
  const {
    creditAccount,
    creditGrant,
    usageEvent,
    creditReversal,
    requestLog,
    usageTotal,
    replayableRequest,
    budgetPeriod,
  } = tables;
  const all = {
    accounts: creditAccount,
    grants: creditGrant,
    events: usageEvent,
    reversals: creditReversal,
    logs: requestLog,
    totals: usageTotal,
    replayables: replayableRequest,
    budgets: budgetPeriod,
  };
  const reads = Object.entries(all).map(([name, table]) => [name, rowsOf(table as never)] as const);
  return (organizations) =>
    Object.fromEntries(reads.map(([name, read]) => [name, read(organizations)])) as never;
}
