/**
 * The audit log: who changed what, and when. A row is written in the transaction of its change, so that neither is there
 * without the other; `note` is for changes that no transaction of this database makes. Secrets are never in a row. What others
 * are told of a change, such as webhooks, is raised in the same transaction.
 *
 *   change, events ──atomically──> rows of both, and what they raise ──committed──> a line of the log, where LOQUAT_AUDIT_LOG is set
 */
import { inArray, type SQL, type SQLWrapper } from "drizzle-orm";
import type { AuditType } from "../audit-types.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { raisedBy } from "../db/queries/event-rows.ts";
import { insertWhere } from "../db/queries/insert-where.ts";
import { type NewEvent, openRaising } from "../events/raising.ts";
import { newId } from "../ids.ts";
import { actorNow } from "./actor.ts";

export const AUDIT_KEPT_SECONDS = 400 * 86_400;

type AuditRow = Tables["auditEvent"]["$inferSelect"];

export type Change = { field: string; before: unknown; after: unknown };

/** `when`: a condition in SQL, without which it is not written. */
export type AuditEvent = {
  type: AuditType;
  /** Null: the server's. */
  organizationId: string | null;
  projectId?: string | null;
  /** What was changed. */
  resourceId: string | null;
  changes?: Change[];
  when?: SQL;
  /** What is raised with it, of its organization and project. */
  raises?: Pick<NewEvent, "type" | "data">;
};

export type Audit = {
  /** The statements and the rows of the events, all or none. */
  atomically(statements: SQLWrapper[], events: AuditEvent[]): Promise<void>;
  /** As `ifChanged` of the database: without a change, no event. */
  ifChanged(change: SQLWrapper, then: SQLWrapper[], events: AuditEvent[]): Promise<boolean>;
  /** For who writes the row with the change: where it was written, `written` is called with it. */
  prepared(event: Omit<AuditEvent, "when" | "raises">): { row: AuditRow; written: (row: AuditRow) => void };
  /** Of changes that are made elsewhere, right after them. */
  note(events: AuditEvent[]): Promise<void>;
};

export function openAudit(database: Database, clock: Clock): Audit {
  const { query, tables } = database;
  const { auditEvent } = tables;
  const raise = openRaising(clock);
  const raisedOf = ({ organizationId, projectId = null, when, raises }: AuditEvent): SQLWrapper[] =>
    raises ? raisedBy(database, raise({ ...raises, organizationId, projectId }), when) : [];
  const rowsOf = (events: AuditEvent[]) =>
    events.map((event) => ({ row: rowOf(event, clock), when: event.when, raised: raisedOf(event) }));
  type Rows = ReturnType<typeof rowsOf>;
  const inserts = (rows: Rows): SQLWrapper[] =>
    rows.flatMap(({ row, when, raised }) => [
      when ? insertWhere(auditEvent, row, when) : query.insert(auditEvent).values(row),
      ...raised,
    ]);
  /** Of those with a condition, which were written is asked. */
  const writtenOf = async (rows: Rows): Promise<Rows> => {
    const ids = rows.flatMap(({ row, when }) => (when ? row.id : []));
    if (ids.length === 0) return rows;
    const found = await query
      .select({ id: auditEvent.id })
      .from(auditEvent)
      .where(inArray(auditEvent.id, ids));
    const written = new Set(found.map(({ id }) => id));
    return rows.filter(({ row, when }) => !when || written.has(row.id));
  };
  const tell = async (rows: Rows): Promise<void> => {
    if (database.audited) for (const { row } of await writtenOf(rows)) database.audited(row);
    if (rows.some(({ raised }) => raised.length > 0)) database.raised?.();
  };
  return {
    async atomically(statements, events) {
      const rows = rowsOf(events);
      await database.atomically([...statements, ...inserts(rows)]);
      await tell(rows);
    },
    async ifChanged(change, then, events) {
      const rows = rowsOf(events);
      const isChanged = await database.ifChanged(change, [...then, ...inserts(rows)]);
      if (isChanged) await tell(rows);
      return isChanged;
    },
    prepared: (event) => ({ row: rowOf(event, clock), written: (row) => database.audited?.(row) }),
    async note(events) {
      if (events.length === 0) return;
      const rows = rowsOf(events);
      await database.atomically(inserts(rows));
      await tell(rows);
    },
  };
}

const VALUE_MAX = 500;

function rowOf(
  { type, organizationId, projectId = null, resourceId, changes = [] }: AuditEvent,
  clock: Clock,
) {
  const { type: actorType, id: actorId, email: actorEmail, address, userAgent } = actorNow();
  return {
    ...{ id: newId("audit", clock), type, organizationId, projectId, resourceId },
    ...{ effectiveAt: unixSeconds(clock), actorType, actorId, actorEmail, address, userAgent },
    changes: JSON.stringify(
      changes.map(({ field, before, after }) => ({ field, before: short(before), after: short(after) })),
    ),
  } satisfies AuditRow;
}

const short = (value: unknown): unknown =>
  typeof value === "string" ? value.slice(0, VALUE_MAX) : (value ?? null);

/** The fields that something new has. */
export const created = (fields: Record<string, unknown>): Change[] =>
  Object.entries(fields).map(([field, after]) => ({ field, before: null, after: after ?? null }));

/** Of an organization; what it was before is filled in where it is written. */
export const spendingLimitSet = (organizationId: string, micros: number | null): AuditEvent => ({
  ...{ type: "billing.spending_limit.updated", organizationId, resourceId: organizationId },
  changes: created({ monthly_spending_limit_micros: micros }),
});

/** The same of the balance below which owners are told. */
export const balanceAlertSet = (organizationId: string, micros: number | null): AuditEvent => ({
  ...{ type: "billing.balance_alert.updated", organizationId, resourceId: organizationId },
  changes: created({ balance_alert_micros: micros }),
});

/** The fields that differ, of those that `after` has. */
export const differences = (before: Record<string, unknown>, after: Record<string, unknown>): Change[] =>
  Object.keys(after)
    .filter((field) => after[field] !== undefined)
    .filter((field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
