/** /v1/organization/invites: invitations to the organization, pending, expired and accepted. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Role } from "../../../accounts/memberships.ts";
import { type Clock, secondsOf, unixSeconds } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import type { Invitation, Invitations } from "../../../identity/invitations.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED, pageOf, partOf } from "./listing.ts";
import {
  Deleted,
  deleted,
  LoquatRole,
  nullable,
  RoleGiven,
  roleOf,
  StockRole,
  stockRole,
  Time,
} from "./records.ts";

const KIND = "organization.invite";

const Invite = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  email: Type.String(),
  role: StockRole,
  loquat_role: LoquatRole,
  status: Type.Enum(["accepted", "expired", "pending"]),
  created_at: Time,
  expires_at: Time,
  accepted_at: nullable(Time),
  /** Empty: members of an organization are members of all of its projects. */
  projects: Type.Array(Type.Object({})),
});

type InviteDeps = { accounts: Accounts; invitations: Invitations; clock: Clock };

export function inviteRoutes({ accounts, invitations, clock }: InviteDeps): AdminRoute[] {
  /** As records: when an invitation was accepted is when its user joined. */
  async function recordsOf(organizationId: string, rows: Invitation[]) {
    const people = rows.some(({ status }) => status === "accepted")
      ? await accounts.people(organizationId)
      : [];
    const joined = new Map(people.map(({ email, joinedAt }) => [email, joinedAt]));
    return rows.map((row) =>
      inviteOf(row, { joinedAt: joined.get(row.email) ?? null, now: unixSeconds(clock) }),
    );
  }
  async function own({ principal: { organizationId }, ids }: AdminCall): Promise<Invitation> {
    const found = (await invitations.invitationsOf(organizationId)).find(({ id }) => id === ids.invite);
    if (found === undefined) throw noSuch("invite");
    return found;
  }
  const recordOf = async (row: Invitation) => (await recordsOf(row.organizationId, [row]))[0]!;
  return [
    adminRoute({
      ...{ method: "GET", path: "/invites", id: "listInvites", scope: "organization:read" },
      ...{ summary: "List invitations", query: Type.Object(PAGED), reply: listOf(Invite) },
      handle: async ({ principal: { organizationId }, query }) => {
        const rows = await invitations.invitationsOf(organizationId);
        const page = await pageOf(query, async (place) => partOf(rows, place));
        return { ...page, data: await recordsOf(organizationId, page.data) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path: "/invites", id: "createInvite", scope: "organization:write" },
      ...{ summary: "Invite a person by mail", reply: Invite },
      refusals: ["already_member", "invite_pending", "owner_required"],
      body: Type.Object({
        email: Type.String({ maxLength: 254, description: "Where the invitation is mailed to." }),
        role: RoleGiven,
        projects: Type.Optional(
          Type.Array(Type.Object({}), {
            maxItems: 0,
            description: "Only empty: members of an organization are members of all of its projects.",
          }),
        ),
      }),
      handle: async ({ principal: { organizationId, createdBy }, body: { email, role } }) =>
        recordOf(
          await invitations.invite({ organizationId, email, role: roleOf(role), invitedBy: createdBy }),
        ),
    }),
    adminRoute({
      ...{ method: "GET", path: "/invites/:invite", id: "getInvite", scope: "organization:read" },
      ...{ summary: "Get an invitation", reply: Invite },
      handle: async (call) => recordOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "DELETE", path: "/invites/:invite", id: "deleteInvite", scope: "organization:write" },
      ...{ summary: "Withdraw an invitation", refusals: ["already_member"], reply: Deleted(KIND) },
      handle: async (call) => {
        const { id } = await own(call);
        if (await invitations.cancelInvitation(id)) return deleted(id, KIND);
        throw new Refusal("already_member", "The invitation was accepted. Remove the user instead.");
      },
    }),
  ];
}

function inviteOf(row: Invitation, { joinedAt, now }: { joinedAt: number | null; now: number }) {
  const { id, email, status, createdAt, expiresAt } = row;
  const role = (row.role ?? "member") as Role;
  const ends = secondsOf(expiresAt);
  return {
    ...{ id, object: KIND, email, role: stockRole(role), loquat_role: role },
    status: status === "pending" && ends <= now ? "expired" : status,
    ...{ created_at: secondsOf(createdAt), expires_at: ends },
    accepted_at: status === "accepted" ? joinedAt : null,
    projects: [],
  };
}
