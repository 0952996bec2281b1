/** Rows of spend alerts, and the statements that change them with what they watch. */
import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { insertWhere } from "./insert-where.ts";
import { PERIOD_SECONDS } from "./usage-reads.ts";

export type AlertRow = Tables["spendAlert"]["$inferSelect"];
type FiringRow = Tables["spendAlertFiring"]["$inferSelect"];

/** Of a project: with those of its keys. Null: of the organization as a whole, or all. */
export type AlertFilter = {
  organizationId: string;
  of: { projectId: string } | "organization" | "all";
};

/** `before` and `after`: ids, in the order of the list; what is before one is read with the nearest first. */
export type AlertPlace = {
  after: string | null;
  before: string | null;
  limit: number;
  isNewestFirst: boolean;
};

type Most = { ofSubject: number; ofOrganization: number };

export function openAlertRows({ query, tables }: Pick<Database, "query" | "tables">) {
  const { spendAlert } = tables;
  const { id, organizationId, scope, projectId } = spendAlert;
  const isAmong = ({ organizationId: owner, of }: AlertFilter): SQL | undefined =>
    and(
      eq(organizationId, owner),
      of === "organization" ? eq(scope, "organization") : undefined,
      typeof of === "object" ? eq(projectId, of.projectId) : undefined,
    );
  return {
    ...statementsOf({ query, tables }),
    ...firingsOf({ query, tables }),
    async list(
      filter: AlertFilter,
      { after, before, limit, isNewestFirst }: AlertPlace,
    ): Promise<AlertRow[]> {
      const [behind, ahead] = isNewestFirst ? [lt, gt] : [gt, lt];
      const isPlaced = and(
        after === null ? undefined : behind(id, after),
        before === null ? undefined : ahead(id, before),
      );
      return query
        .select()
        .from(spendAlert)
        .where(and(isAmong(filter), isPlaced))
        .orderBy(isNewestFirst === (before !== null) ? asc(id) : desc(id))
        .limit(limit);
    },
    async find(filter: AlertFilter, alertId: string): Promise<AlertRow | null> {
      const rows = await query
        .select()
        .from(spendAlert)
        .where(and(isAmong(filter), eq(id, alertId)));
      return rows[0] ?? null;
    },
  };
}

function statementsOf({ query, tables }: Pick<Database, "query" | "tables">) {
  const { spendAlert, spendAlertFiring, spendCount, organization } = tables;
  const { id, organizationId, subject } = spendAlert;
  const recounted = (of: Pick<AlertRow, "organizationId" | "subject">): SQLWrapper =>
    query
      .delete(spendCount)
      .where(and(eq(spendCount.organizationId, of.organizationId), eq(spendCount.subject, of.subject)));
  return {
    /** A statement: what the subject has spent is counted anew, since nothing counted it while no alert watched it. */
    recounted,
    /** Statements: adds it, unless there are so many already; of those that are added at once, one after another. */
    added: (row: AlertRow, { ofSubject, ofOrganization }: Most): SQLWrapper[] => {
      const count = (of: SQL | undefined) => sql`(select count(*) from ${spendAlert} where ${of})`;
      const isOwn = eq(organizationId, row.organizationId);
      return [
        query
          .update(organization)
          .set({ id: row.organizationId })
          .where(eq(organization.id, row.organizationId)),
        insertWhere(
          spendAlert,
          row,
          sql`${count(and(isOwn, eq(subject, row.subject)))} < ${ofSubject} and ${count(isOwn)} < ${ofOrganization}`,
        ),
        recounted(row),
      ];
    },
    /** A condition: it is there. */
    isThere: (alertId: string): SQL => sql`exists (select 1 from ${spendAlert} where ${eq(id, alertId)})`,
    /** A statement. */
    changed: (alertId: string, change: Partial<AlertRow>): SQLWrapper =>
      query.update(spendAlert).set(change).where(eq(id, alertId)),
    /** Statements. */
    removed: ({ id: alertId, organizationId: owner }: AlertRow): [SQLWrapper, SQLWrapper] => [
      query.delete(spendAlert).where(eq(id, alertId)),
      query
        .delete(spendAlertFiring)
        .where(and(eq(spendAlertFiring.organizationId, owner), eq(spendAlertFiring.alertId, alertId))),
    ],
  };
}

function firingsOf({ query, tables: { spendAlertFiring, usageTotal } }: Pick<Database, "query" | "tables">) {
  return {
    async firing(of: Pick<FiringRow, "organizationId" | "alertId" | "start" | "thresholdMicros">) {
      const { organizationId: owner, alertId, start, thresholdMicros } = spendAlertFiring;
      const rows = await query
        .select()
        .from(spendAlertFiring)
        .where(
          and(
            eq(owner, of.organizationId),
            eq(alertId, of.alertId),
            eq(start, of.start),
            eq(thresholdMicros, of.thresholdMicros),
          ),
        );
      return rows[0] ?? null;
    },
    /** The keys that cost most since the day of that time, of a project or of all. */
    async dearest(
      of: { organizationId: string; projectId: string | null; start: number },
      most: number,
    ): Promise<{ id: string; micros: number }[]> {
      const { organizationId: owner, period, start, keyId, costMicros } = usageTotal;
      const micros = sql<number>`sum(${costMicros})`;
      const isCounted = and(
        ...[eq(owner, of.organizationId), eq(period, "day")],
        gte(start, of.start - (of.start % PERIOD_SECONDS.day)),
        of.projectId === null ? undefined : eq(usageTotal.projectId, of.projectId),
      );
      const rows = await query
        .select({ id: keyId, micros })
        .from(usageTotal)
        .where(isCounted)
        .groupBy(keyId)
        .having(sql`${micros} > 0`)
        .orderBy(desc(micros), asc(keyId))
        .limit(most);
      return rows.map(({ id: key, micros: sum }) => ({ id: key, micros: Number(sum) }));
    },
    /** When alerts of an organization went off last, by their ids. */
    async lastFired(of: string, ids: readonly string[]): Promise<Map<string, number>> {
      if (ids.length === 0) return new Map();
      const { alertId, createdAt } = spendAlertFiring;
      const rows = await query
        .select({ alertId, at: sql<number>`max(${createdAt})` })
        .from(spendAlertFiring)
        .where(and(eq(spendAlertFiring.organizationId, of), inArray(alertId, [...ids])))
        .groupBy(alertId);
      return new Map(rows.map((row) => [row.alertId, Number(row.at)]));
    },
  };
}

/** Statements for changes of a key or project. */
export function alertsOf(
  { query, tables: { spendAlert } }: Pick<Database, "query" | "tables">,
  { id, organizationId }: { id: string; organizationId: string },
) {
  const { percent } = spendAlert;
  const isOfIt = and(eq(spendAlert.organizationId, organizationId), eq(spendAlert.subject, id));
  return {
    /** Its budget is so large now; null: there is none. */
    budgeted: (limitMicros: number | null): SQLWrapper =>
      query
        .update(spendAlert)
        .set({
          thresholdMicros:
            limitMicros === null ? null : sql`(cast(${limitMicros} as bigint) * ${percent} + 99) / 100`,
        })
        .where(and(isOfIt, isNotNull(percent))),
    /** What watched it watches the key that replaces it, which has spent nothing. */
    movedTo: (key: string): SQLWrapper => query.update(spendAlert).set({ subject: key }).where(isOfIt),
  };
}
