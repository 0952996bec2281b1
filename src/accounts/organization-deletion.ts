/**
 * When an organization is deleted: asked for by an owner or an operator, undone until it is due, and begun then.
 *
 *   asked for ──its keys are refused at once──> due ──begun, never undone──> `src/deletion` deletes what is its
 *        └──undone: its keys are accepted again
 */
import { and, eq, gt, inArray, isNotNull, isNull, lte, ne, or, type SQLWrapper } from "drizzle-orm";
import { type AuditEvent, differences, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { addsOf } from "../db/queries/work-rows.ts";
import { type Organization, organizationDeleted, refuseFirst } from "./organizations.ts";

/** The kind of work that deletes an organization; its payload is the organization's id. */
export const DELETION_KIND = "organization_deletion";

/** The kind of work that tells its owners; its payload is a `DeletionNotice` as JSON. */
export const DELETION_NOTICE_KIND = "deletion_notice";

/** `userId`: an owner; absent: all are still to be told. */
export type DeletionNotice = { organizationId: string; deleteAt: number; userId?: string };

/** How long after it was asked for. */
export const DELETED_AFTER_SECONDS = 7 * 86_400;

/** What the row of one that is deleted is changed to. */
const REMAINS = {
  status: "deleted",
  name: "deleted",
  limitOverrides: null,
  endUserKey: null,
  operatorNote: null,
} as const;

export type OrganizationDeletion = {
  /**
   * Its keys are refused within a second, and at that time, in Unix seconds, it is deleted, or at an earlier one that was asked
   * for before. The first organization is refused. Null if there is no such organization, here and below.
   */
  scheduleDeletion(id: string, at: number): Promise<Organization | null>;
  /** Refused once it has begun. */
  undoDeletion(id: string): Promise<Organization | null>;
  /** Begins what is due: false where it was undone. What has begun already is true again. */
  beginDeletion(id: string, now: number): Promise<boolean>;
};

export function openOrganizationDeletion(database: Database, clock: Clock): OrganizationDeletion {
  const { query, tables } = database;
  const { organization, work } = tables;
  const audit = openAudit(database, clock);
  const found = async (id: string) =>
    (await query.select().from(organization).where(eq(organization.id, id)))[0] ?? null;
  const isLeft = (id: string) => and(eq(organization.id, id), ne(organization.status, "deleted"));

  /** The row of work goes with the change: of an attempt that runs, too, which then finds nothing to begin. */
  async function changed(before: Organization, at: number | null): Promise<Organization | null> {
    const { id } = before;
    const other = at === null ? isNotNull(organization.deleteAt) : laterThan(at);
    const change = query
      .update(organization)
      .set({ deleteAt: at })
      .where(and(isLeft(id), other));
    const row = { id: `${id}_deletion`, kind: DELETION_KIND, payload: id };
    const notice = noticeOf(id, at);
    const then: SQLWrapper[] = [
      query.delete(work).where(inArray(work.id, [row.id, notice.id])),
      ...(at === null ? [] : addsOf(database, [{ ...row, dueMs: at * 1000 }])),
      ...(at === null || at * 1000 <= clock.now() ? [] : addsOf(database, [notice])),
    ];
    const changes = differences({ delete_at: before.deleteAt }, { delete_at: at });
    const event: AuditEvent = { type: "organization.updated", organizationId: id, resourceId: id, changes };
    if (await audit.ifChanged(change, then, [event])) database.raised?.();
    return found(id);
  }
  const noticeOf = (organizationId: string, deleteAt: number | null) => ({
    ...{ id: `${organizationId}_deletion_notice`, kind: DELETION_NOTICE_KIND, dueMs: clock.now() },
    payload: JSON.stringify({ organizationId, deleteAt }),
  });
  const laterThan = (at: number) => or(isNull(organization.deleteAt), gt(organization.deleteAt, at));

  async function known(id: string): Promise<Organization | null> {
    const row = await found(id);
    if (row?.status === "deleted") throw organizationDeleted();
    return row;
  }

  return {
    async scheduleDeletion(id, at) {
      const before = await known(id);
      await refuseFirst(database, id, "deleted");
      return before && changed(before, at);
    },
    async undoDeletion(id) {
      const before = await known(id);
      const after = before && (await changed(before, null));
      return after?.status === "deleted" ? known(id) : after; // it began meanwhile
    },
    async beginDeletion(id, now) {
      const isDue = and(isLeft(id), isNotNull(organization.deleteAt), lte(organization.deleteAt, now));
      const change = query.update(organization).set(REMAINS).where(isDue);
      const type = "organization.deleted";
      const event: AuditEvent = {
        type,
        organizationId: null,
        resourceId: id,
        raises: { type, data: { id } },
      };
      return (await audit.ifChanged(change, [], [event])) || (await found(id))?.status === "deleted";
    },
  };
}
