/** Invitations made with an admin key, which has no session: the rows are those of the identity library, which accepts them. */
import { and, asc, count, eq, gt } from "drizzle-orm";
import type { Role } from "../accounts/memberships.ts";
import { created, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import { openAttemptCounter } from "./attempt-counter.ts";
import { openBoundedLetters } from "./letters.ts";
import type { MailOutbox } from "./mail-outbox.ts";
import { isEmail } from "./routes/email.ts";

type Row = Tables["invitation"]["$inferSelect"];
export type Invitation = Row & { status: "pending" | "accepted" };

/** `invitedBy`: who made the admin key; null: an owner invites. */
type NewInvitation = { organizationId: string; email: string; role: Role; invitedBy: string | null };

export type Invitations = {
  /** Its mail is kept to be sent, or suppressed where an address got too many. */
  invite(invitation: NewInvitation): Promise<Invitation>;
  /** Those that are pending, expired or accepted, in the order of their creation. */
  invitationsOf(organizationId: string): Promise<Invitation[]>;
  /** Ends one that is pending. False: it is not. */
  cancelInvitation(id: string): Promise<boolean>;
};

type InvitationsDeps = {
  database: Database;
  mailOutbox: Pick<MailOutbox, "post">;
  origin: () => string;
  clock: Clock;
  log: Log;
};

const PENDING_MAX = 1000;
/** By one organization: to all addresses, and to one. */
const PER_HOUR = { most: 100, windowSeconds: 3600 };
const PER_ADDRESS = { most: 3, windowSeconds: 86_400 };

export function openInvitations(deps: InvitationsDeps): Invitations {
  const { query, tables } = deps.database;
  const { invitation } = tables;
  const invite = inviting(deps);
  const audit = openAudit(deps.database, deps.clock);
  const isListed = (row: Row): row is Invitation => ["pending", "accepted"].includes(row.status);
  return {
    invite,
    async invitationsOf(organizationId) {
      const rows = await query
        .select()
        .from(invitation)
        .where(eq(invitation.organizationId, organizationId))
        .orderBy(asc(invitation.id)); // an id begins with its time
      return rows.filter(isListed);
    },
    async cancelInvitation(id) {
      const isPending = and(eq(invitation.id, id), eq(invitation.status, "pending"));
      const [row] = await query.select().from(invitation).where(isPending);
      if (!row) return false;
      const event = { type: "invite.deleted", organizationId: row.organizationId, resourceId: id } as const;
      const update = query.update(invitation).set({ status: "canceled" }).where(isPending);
      return audit.ifChanged(update, [], [event]);
    },
  };
}

function inviting(deps: InvitationsDeps): Invitations["invite"] {
  const { database, mailOutbox, origin, clock } = deps;
  const { query, tables } = database;
  const { invitation, organization, member, user } = tables;
  const seated = seats(database);
  const assertNew = newness(deps, seated);
  const attempts = openAttemptCounter(database, clock);
  const letters = openBoundedLetters(deps);

  async function inviterOf({ organizationId, invitedBy }: NewInvitation) {
    const who = invitedBy === null ? eq(member.role, "owner") : eq(user.id, invitedBy);
    const [inviter] = await seated(organizationId, who);
    if (inviter) return inviter;
    throw new Refusal("owner_required", "The organization has no owner in whose name it could invite.");
  }

  return async (asked) => {
    const email = asked.email.toLowerCase();
    if (!isEmail(email))
      throw invalidInput([{ field: "email", code: "malformed", message: "must be an e-mail address" }]);
    const { organizationId, role } = asked;
    await assertNew({ ...asked, email });
    const inviter = await inviterOf(asked);
    await attempts.refuse("invitations", organizationId, PER_HOUR);
    await attempts.refuse("invitations", `${organizationId} ${email}`, PER_ADDRESS);
    const { INVITATION_SECONDS, openMail } = await import("./mail.ts");
    const now = clock.now();
    const row = {
      ...{ id: newId("inv", clock), organizationId, email, role, status: "pending" as const },
      ...{ inviterId: inviter.id, createdAt: new Date(now) },
      expiresAt: new Date(now + INVITATION_SECONDS * 1000),
    };
    const event = { type: "invite.sent", organizationId, resourceId: row.id } as const;
    await openAudit(database, clock).atomically(
      [query.insert(invitation).values(row)],
      [{ ...event, changes: created({ email, role }) }],
    );
    const [to] = await query.select().from(organization).where(eq(organization.id, organizationId));
    const letter = { id: row.id, organization: to!.name, inviter: inviter.email };
    if (await letters.isAllowed("invite", email))
      await openMail({ outbox: mailOutbox, origin }).invite(email, letter);
    return row;
  };
}

/** Members of an organization, the oldest first. */
function seats({ query, tables: { member, user } }: Database) {
  return (organizationId: string, who: ReturnType<typeof eq>) =>
    query
      .select({ id: user.id, email: user.email })
      .from(member)
      .innerJoin(user, eq(member.userId, user.id))
      .where(and(eq(member.organizationId, organizationId), who))
      .orderBy(asc(member.createdAt), asc(member.id));
}

/** Refuses to invite who is there or is invited already, as the library does, which accepts at most one of two made at once. */
function newness({ database: { query, tables }, clock }: InvitationsDeps, seated: ReturnType<typeof seats>) {
  const { invitation, user } = tables;
  return async function assertNew({ organizationId, email }: NewInvitation): Promise<void> {
    if ((await seated(organizationId, eq(user.email, email))).length > 0)
      throw new Refusal("already_member", "They are already a member of this organization.");
    const isPending = and(
      eq(invitation.organizationId, organizationId),
      eq(invitation.status, "pending"),
      gt(invitation.expiresAt, new Date(clock.now())),
    );
    const [same] = await query
      .select()
      .from(invitation)
      .where(and(isPending, eq(invitation.email, email)));
    if (same) throw new Refusal("invite_pending", "They have a pending invitation already.");
    const [held] = await query.select({ pending: count() }).from(invitation).where(isPending);
    if (Number(held!.pending) < PENDING_MAX) return;
    throw new Refusal("rate_limit_exceeded", `At most ${PENDING_MAX} invitations can be pending.`, {
      retryAfterSeconds: 60,
    });
  };
}
