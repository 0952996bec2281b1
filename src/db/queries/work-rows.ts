/**
 * Rows of work: added once by id, claimed by one statement, and ended by the process that still has the lease.
 *
 *   free, due ──claim or next──> leased ──settle──> deleted, or due again
 *                 └── the lease ran out: another process may claim it, and the first can settle it no more
 */
import {
  and,
  eq,
  inArray,
  lte,
  notInArray,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";
import { insertWhere } from "./insert-where.ts";

export type WorkRow = Tables["work"]["$inferSelect"];

/** `payload`: up to 64 KB. */
export type NewWork = Pick<WorkRow, "id" | "kind" | "dueMs" | "payload"> &
  Partial<Pick<WorkRow, "group" | "expiresMs">>;

export type Claim = {
  kind: string;
  node: string;
  nowMs: number;
  leaseUntilMs: number;
  max: number;
  /** Of one group, at all nodes; by nodes that claim in the same instant, so many each. */
  groupMax: number;
  /** What this process is doing: not claimed by it again, though its clock says that the lease is over. */
  except?: readonly string[];
};

type Lease = { node: string; untilMs: number };

/** What becomes of a claimed row: it is deleted while others are added in one transaction, or due again. */
export type Settlement =
  | { isEnded: true; adds?: NewWork[] }
  | { isEnded: false; dueMs: number; attempts: number };

export type WorkRows = ReturnType<typeof openWorkRows>;

const PAYLOAD_MAX_BYTES = 64 * 1024;
/** Due rows that a claim looks at: more than it takes, as some may be of groups that are full. */
const LOOK_FACTOR = 4;
const EXPIRED_AT_ONCE = 1000;

export function openWorkRows(database: Database) {
  const { query, tables, ifChanged } = database;
  const { work } = tables;
  const { id, leaseNode, leaseUntilMs, attempts, expiresMs } = work;
  const isOurs = (row: WorkRow) =>
    and(eq(id, row.id), eq(leaseNode, row.leaseNode ?? ""), eq(attempts, row.attempts));
  const due = dueQuery(database);
  const claimed = async (ids: SQL, lease: Lease): Promise<WorkRow[]> =>
    query
      .update(work)
      .set({ leaseNode: lease.node, leaseUntilMs: lease.untilMs, attempts: sql`${attempts} + 1` })
      .where(isAmong(database, id, ids))
      .returning();
  return {
    /** A known id changes nothing. */
    async add(rows: NewWork[]): Promise<void> {
      if (rows.length > 0) await query.insert(work).values(checked(rows)).onConflictDoNothing();
    },
    /** Adds a row that a process begins at once, so that no other claims it. */
    async addClaimed(row: NewWork, lease: Lease): Promise<WorkRow> {
      const leased = { leaseNode: lease.node, leaseUntilMs: lease.untilMs, attempts: 1 };
      const [added] = await query
        .insert(work)
        .values({ ...checked([row])[0]!, ...leased })
        .returning();
      return added!;
    },
    /** Those kinds of which something may be claimed. */
    dueKinds: (kinds: readonly string[], nowMs: number) => due(kinds, nowMs),
    /** Counts an attempt of each row that it returns. */
    async claim({ node, leaseUntilMs: untilMs, ...claim }: Claim): Promise<WorkRow[]> {
      return claimed(claimable(database, claim), { node, untilMs });
    },
    /** Claims the next row of the kind and group of one that this node is ending: it takes the place of that one. */
    async next(
      { kind, group }: WorkRow,
      { node, leaseUntilMs: untilMs, ...claim }: Omit<Claim, "kind" | "max" | "groupMax">,
    ): Promise<WorkRow | null> {
      const [row] = await claimed(firstOf(database, { kind, group, ...claim }), { node, untilMs });
      return row ?? null;
    },
    /** Extends leases that this node has, even those that ran out unless another node claimed them; returns their ids. */
    async renew(node: string, { ids, untilMs }: { ids: string[]; untilMs: number }): Promise<string[]> {
      const rows = await query
        .update(work)
        .set({ leaseUntilMs: untilMs })
        .where(and(inArray(id, ids), eq(leaseNode, node)))
        .returning({ id });
      return rows.map((row) => row.id);
    },
    /** False, and nothing is changed, where another process has claimed it since. */
    async settle(row: WorkRow, to: Settlement): Promise<boolean> {
      if (to.isEnded)
        return ifChanged(query.delete(work).where(isOurs(row)), addsOf(database, to.adds ?? []));
      const free = { leaseNode: null, leaseUntilMs: 0, dueMs: to.dueMs, attempts: to.attempts };
      return ifChanged(query.update(work).set(free).where(isOurs(row)), []);
    },
    /** Deletes what has expired and is not being done, up to 1,000 rows. */
    async expire(nowMs: number): Promise<void> {
      const expired = query
        .select({ id })
        .from(work)
        .where(and(lte(expiresMs, nowMs), lte(leaseUntilMs, nowMs)))
        .limit(EXPIRED_AT_ONCE);
      await query.delete(work).where(inArray(id, expired));
    },
  };
}

/** Statements for the transaction of a cause. `when`: a condition in SQL, on which they depend. */
export function addsOf({ query, tables }: Database, rows: NewWork[], when?: SQL): SQLWrapper[] {
  if (rows.length === 0) return [];
  if (when) return checked(rows).map((row) => insertWhere(tables.work, row, when));
  return [query.insert(tables.work).values(checked(rows)).onConflictDoNothing()];
}

function checked(rows: NewWork[]): NewWork[] {
  for (const { kind, payload } of rows)
    if (Buffer.byteLength(payload) > PAYLOAD_MAX_BYTES) throw new Error(`a payload of ${kind} is too long`);
  return rows;
}

/** Prepared once, since every node asks each second. Each kind is read up to its first row, however many wait. */
function dueQuery({ query, tables: { work } }: Database) {
  const nowMs = sql.placeholder("nowMs");
  const prepare = (kinds: readonly string[]) => {
    const handled = sql.join(
      kinds.map((kind) => sql`select cast(${kind} as text) as kind`),
      sql` union all `,
    );
    return prepared(
      query
        .select({ kind: sql<string>`handled.kind` })
        .from(sql`(${handled}) as handled`)
        .where(sql`exists (select 1 from work where ${work.kind} = handled.kind and ${isFree(work, nowMs)})`),
      `work_due_${kinds.length}_kinds`,
    );
  };
  let known: { kinds: string; ask: ReturnType<typeof prepare> } | null = null;
  return async (kinds: readonly string[], now: number): Promise<string[]> => {
    const names = kinds.join();
    if (known?.kinds !== names) known = { kinds: names, ask: prepare(kinds) };
    return (await known.ask.execute({ nowMs: now })).map(({ kind }) => kind);
  };
}

const isFree = ({ dueMs, leaseUntilMs, expiresMs }: Tables["work"], nowMs: number | Placeholder) =>
  and(lte(dueMs, nowMs), lte(leaseUntilMs, nowMs), sql`(${expiresMs} is null or ${expiresMs} > ${nowMs})`);

const isPostgres = (database: Database): boolean => "postgres" in database;

/** The ids are computed once, before a row is changed: PostgreSQL may otherwise compute them again for each row. */
const isAmong = (database: Database, id: SQLWrapper, ids: SQL): SQL =>
  isPostgres(database) ? sql`${id} = any(array(${ids}))` : sql`${id} in (${ids})`;

/** In PostgreSQL, rows that another node is claiming are passed over; SQLite has one writer. */
const passOver = (database: Database): SQL => (isPostgres(database) ? sql`for update skip locked` : sql``);

const isOther = ({ id }: Tables["work"], except: readonly string[]): SQL =>
  except.length === 0 ? sql`true` : notInArray(id, [...except]);

/** The oldest of a group. */
function firstOf(
  database: Database,
  { kind, group, nowMs, except = [] }: Pick<Claim, "kind" | "nowMs" | "except"> & { group: string },
): SQL {
  const { work } = database.tables;
  return sql`select id from work
    where ${eq(work.kind, kind)} and ${eq(work.group, group)} and ${isFree(work, nowMs)} and ${isOther(work, except)}
    order by due_ms, id limit 1 ${passOver(database)}`;
}

/** Oldest first. */
function claimable(
  database: Database,
  { kind, nowMs, max, groupMax, except = [] }: Omit<Claim, "node" | "leaseUntilMs">,
): SQL {
  const { work } = database.tables;
  const leased = sql`from work as other
    where other.kind = ${kind} and other.lease_until_ms > 0 and other.lease_until_ms > ${nowMs}`;
  return sql`select id from (
      select id, due_ms, group_id, row_number() over (partition by group_id order by due_ms, id)
        + (select count(*) ${leased} and other.group_id = due.group_id) as place
      from (select id, due_ms, group_id from work
        where ${eq(work.kind, kind)} and ${isFree(work, nowMs)} and ${isOther(work, except)} and group_id not in (
          select group_id ${leased} and group_id <> '' group by group_id having count(*) >= ${groupMax})
        order by due_ms, id limit ${max * LOOK_FACTOR} ${passOver(database)}) as due
    ) as placed where group_id = '' or place <= ${groupMax} order by due_ms, id limit ${max}`;
}
