/**
 * /v1/organization/users: the members of the organization. Stock clients know two roles, `owner` and `reader`: an admin is a
 * reader, and `loquat_role` tells them apart.
 */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
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

const KIND = "organization.user";

const UserRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  name: Type.String(),
  email: Type.String(),
  role: StockRole,
  loquat_role: LoquatRole,
  added_at: Time,
  created: Time,
  /** When a key that the user created was last used. */
  api_key_last_used_at: nullable(Time),
  is_service_account: Type.Literal(false),
});

type Person = Awaited<ReturnType<Accounts["people"]>>[number];

export function userRoutes({ accounts }: { accounts: Accounts }): AdminRoute[] {
  const own = async ({ principal: { organizationId }, ids }: AdminCall): Promise<Person> => {
    const person = (await accounts.people(organizationId)).find(({ id }) => id === ids.user);
    if (person === undefined) throw noSuch("user");
    return person;
  };
  const recordOf = async (person: Person, organizationId: string) =>
    userOf(person, await accounts.keysLastUsed(organizationId));
  return [
    adminRoute({
      ...{ method: "GET", path: "/users", id: "listUsers", scope: "organization:read" },
      summary: "List the members of the organization",
      query: Type.Object({
        ...PAGED,
        emails: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 100,
            description: "Only with these addresses. At most 100.",
          }),
        ),
      }),
      reply: listOf(UserRecord),
      handle: async ({ principal: { organizationId }, query: { emails, ...paged } }) => {
        const wanted = emails && new Set(emails.map((email) => email.toLowerCase()));
        const people = (await accounts.people(organizationId)).filter(
          ({ email }) => wanted?.has(email) ?? true,
        );
        const page = await pageOf(paged, async (place) => partOf(people, place));
        const lastUsed = await accounts.keysLastUsed(organizationId);
        return { ...page, data: page.data.map((person) => userOf(person, lastUsed)) };
      },
    }),
    adminRoute({
      ...{ method: "GET", path: "/users/:user", id: "getUser", scope: "organization:read" },
      ...{ summary: "Get a member of the organization", reply: UserRecord },
      handle: async (call) => recordOf(await own(call), call.principal.organizationId),
    }),
    adminRoute({
      ...{ method: "POST", path: "/users/:user", id: "updateUser", scope: "organization:write" },
      ...{ summary: "Change the role of a member", refusals: ["last_owner"] },
      ...{ body: Type.Object({ role: Type.Optional(RoleGiven) }), reply: UserRecord },
      handle: async ({ body, ...call }) => {
        const person = await own({ ...call, body: {} });
        const { organizationId } = call.principal;
        const role = body.role === undefined ? person.role : roleOf(body.role);
        if (role !== person.role) await accounts.changeRoleOf({ userId: person.id, organizationId }, role);
        return recordOf({ ...person, role }, organizationId);
      },
    }),
    adminRoute({
      ...{ method: "DELETE", path: "/users/:user", id: "deleteUser", scope: "organization:write" },
      ...{ summary: "Remove a member and revoke their keys", refusals: ["last_owner"], reply: Deleted(KIND) },
      handle: async (call) => {
        const { id } = await own(call);
        await accounts.endMembership({ userId: id, organizationId: call.principal.organizationId });
        return deleted(id, KIND);
      },
    }),
  ];
}

const userOf = ({ id, name, email, role, joinedAt, createdAt }: Person, lastUsed: Map<string, number>) => ({
  ...{ id, object: KIND, name, email, role: stockRole(role), loquat_role: role },
  ...{ added_at: joinedAt, created: createdAt, api_key_last_used_at: lastUsed.get(id) ?? null },
  is_service_account: false,
});
