/** The routes of identity that the library does not perform, and the permissions that it does not check. */
import { and, eq } from "drizzle-orm";
import { openMembers } from "../accounts/members.ts";
import { openOrganizations } from "../accounts/organizations.ts";
import type { Session } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { unixSeconds } from "../clock.ts";
import { openAttemptCounter } from "./attempt-counter.ts";
import type { IdentityDeps } from "./better-auth.ts";
import { openInvitedPage } from "./invitation-links.ts";
import { refusePasswords } from "./password-policy.ts";
import type { Input } from "./routes/input.ts";
import type { OfferedRoute } from "./routes/offered-routes.ts";
import { needConfirmation, needSecondFactor } from "./second-factor-needs.ts";

/** By one user: each is a write, and writes are serialized. */
export const CHANGES_PER_MINUTE = { most: 300, windowSeconds: 60 };
/** By one user: to all addresses, and to one. */
const INVITATIONS_PER_HOUR = { most: 20, windowSeconds: 3600 };
const INVITATIONS_PER_ADDRESS = { most: 3, windowSeconds: 86_400 };

type OwnRoute = (input: Input, session: Session) => Promise<object>;

/** Routes that the library would perform without a lock, or answer with more than a page may see. */
export function ownRoutes(deps: IdentityDeps): Record<string, OwnRoute> {
  const { database, clock } = deps;
  const members = openMembers(database, clock);
  const { session } = database.tables;
  const actor = (input: Input, { user }: Session) => ({
    userId: user.id,
    organizationId: input.organizationId!,
  });
  return {
    "organization/update-member-role": (input, who) =>
      members.changeRole(actor(input, who), input.memberId!, input.role!),
    "organization/remove-member": async (input, who) => ({
      member: await members.removeMember(actor(input, who), input.memberIdOrEmail!, input.keys),
    }),
    "join/details": openInvitedPage(deps),
    "organization/leave": (input, who) => members.leave(actor(input, who), input.keys),
    "revoke-session": async ({ token }, { user }) => {
      await database.query.delete(session).where(and(eq(session.id, token!), eq(session.userId, user.id)));
      return { status: true };
    },
  };
}

/** What gives or takes rights. */
const CONFIRMED = [
  ...["organization/invite-member", "organization/update-member-role", "organization/remove-member"],
];

type PermitCall = { route: OfferedRoute; input: Input; session: Session | null };

/** Permissions that the library does not check, or whose refusal would reveal something. */
export function permissions({
  database,
  clock,
  config,
}: IdentityDeps): (call: PermitCall) => Promise<unknown> {
  const members = openMembers(database, clock);
  const users = openUsers(database, clock);
  const attempts = openAttemptCounter(database, clock);
  const asking = { accounts: openOrganizations(database, clock), config };
  /** Each sends mail that its recipient did not ask for. */
  async function mayInvite({ input, session }: PermitCall): Promise<void> {
    const { id } = session!.user;
    await attempts.refuse("invitations", id, INVITATIONS_PER_HOUR);
    await attempts.refuse("invitations", `${id} ${input.email!.toLowerCase()}`, INVITATIONS_PER_ADDRESS);
  }
  return async (call) => {
    const { route, input, session } = call;
    refusePasswords(route.path, config);
    if (session && route.method === "POST")
      await attempts.refuse("changes", session.user.id, CHANGES_PER_MINUTE);
    const actor = { userId: session?.user.id ?? "", organizationId: input.organizationId ?? "" };
    if (session && input.organizationId !== undefined) {
      await members.needRole(actor, "member"); // to others, the organization does not exist
      await needSecondFactor(asking, session, input.organizationId);
    }
    if (session && CONFIRMED.includes(route.path)) needConfirmation(session, unixSeconds(clock));
    switch (route.path) {
      case "sign-up/email":
        return users.assertCanSignUp(input.email!, config);
      case "organization/invite-member":
        await members.needRole(actor, input.role === "owner" ? "owner" : "admin");
        return mayInvite(call);
      case "organization/list-invitations":
        return members.needRole(actor, "admin");
      case "organization/list-members":
        return members.needRole(actor, "member");
      case "organization/cancel-invitation":
        return needSecondFactor(
          asking,
          session!,
          await members.needRoleForInvitation(input.invitationId!, actor.userId),
        );
    }
  };
}
