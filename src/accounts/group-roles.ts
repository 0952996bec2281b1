/**
 * What the groups of a sign-in provider give its users: a role in one organization, and the operator's rights. Each records
 * the provider as its source. What a person gave, or another provider, is left as it is.
 */
import { and, eq } from "drizzle-orm";
import { created, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Role } from "./memberships.ts";
import { openSeats } from "./seats.ts";

/** `role` null: none. `organizationId` null: the first one. */
export type GroupRole = {
  source: string;
  organizationId: string | null;
  role: Role | null;
  isOperator: boolean;
};

export type GroupRoles = {
  /** Gives the user exactly what the groups give now, and takes what they gave before. The last owner stays one. */
  apply(userId: string, given: GroupRole): Promise<void>;
};

export function openGroupRoles(database: Database, clock: Clock): GroupRoles {
  const { query, tables } = database;
  const { member, user, organization, installation } = tables;
  const seats = openSeats(database, clock);

  async function organizationOf({ organizationId }: GroupRole): Promise<string> {
    if (organizationId === null) return (await query.select().from(installation))[0]!.organizationId;
    const [row] = await query.select().from(organization).where(eq(organization.id, organizationId));
    if (row && row.status !== "deleted") return row.id;
    throw new Refusal("not_found", "There is no organization of the id that LOQUAT_OIDC_ORGANIZATION has.");
  }

  async function applyOperator(userId: string, { source, isOperator }: GroupRole): Promise<void> {
    const change = isOperator
      ? { operator: true, operatorSource: source }
      : { operator: false, operatorSource: null };
    const isTheirs = isOperator ? eq(user.operator, false) : eq(user.operatorSource, source);
    await query
      .update(user)
      .set(change)
      .where(and(eq(user.id, userId), isTheirs));
  }

  async function applyRole(userId: string, { role, source }: GroupRole, organizationId: string) {
    const isSeat = and(eq(member.userId, userId), eq(member.organizationId, organizationId));
    const [seat] = await query.select().from(member).where(isSeat);
    if (!seat && role === null) return;
    if (!seat) {
      const row = { id: newId("mem", clock), userId, organizationId, role: role!, source };
      const seated = query
        .insert(member)
        .values({ ...row, createdAt: new Date(clock.now()) })
        .onConflictDoNothing();
      const changes = created({ role, source });
      await openAudit(database, clock).ifChanged(
        seated,
        [],
        [
          {
            ...{ type: "user.added", organizationId, resourceId: userId, changes },
            raises: { type: "member.added", data: { id: userId, role } },
          },
        ],
      );
    } else if (seat.source === source && seat.role !== role) {
      const changed = role === null ? seats.end(seat, "revoke") : seats.change(seat, role, source);
      await changed.catch(unlessLastOwner);
    }
  }

  return {
    async apply(userId, given) {
      const organizationId = await organizationOf(given);
      await applyOperator(userId, given);
      await applyRole(userId, given, organizationId);
    },
  };
}

function unlessLastOwner(error: unknown): void {
  if (!(error instanceof Refusal && error.code === "last_owner")) throw error;
}
