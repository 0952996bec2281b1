/** /v1/organization/admin_api_keys: the admin keys of the organization. A key gives no scope that it lacks itself. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { AdminKeyRecord } from "../../../accounts/admin-keys.ts";
import type { Clock } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import { ADMIN_SCOPES } from "../../../scopes.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED, pageOf } from "./listing.ts";
import { Deleted, deleted, ExpiresIn, expiryOf, Name, nullable, Time } from "./records.ts";

const KIND = "organization.admin_api_key";
const Scope = Type.Enum([...ADMIN_SCOPES]);

const AdminKey = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  name: Type.String(),
  redacted_value: Type.String(),
  scopes: Type.Array(Scope),
  created_at: Time,
  expires_at: nullable(Time),
  last_used_at: nullable(Time),
  /** Empty for a key that was made on the command line. */
  owner: Type.Object({
    type: Type.Optional(Type.Literal("user")),
    object: Type.Optional(Type.Literal("organization.user")),
    id: Type.Optional(Type.String()),
  }),
});

type AdminKeyDeps = { accounts: Accounts; clock: Clock };

export function adminKeyRoutes({ accounts, clock }: AdminKeyDeps): AdminRoute[] {
  async function own({ principal, ids }: AdminCall): Promise<AdminKeyRecord> {
    const key = await accounts.adminKey(ids.admin_key!);
    if (key?.organization_id === principal.organizationId && key.status !== "revoked") return key;
    throw noSuch("admin_key");
  }
  return [
    adminRoute({
      ...{ method: "GET", path: "/admin_api_keys", id: "listAdminKeys", scope: "organization:read" },
      summary: "List the organization's admin keys",
      query: Type.Object({
        ...PAGED,
        order: Type.Optional(
          Type.Enum(["asc", "desc"], { description: "By the time of creation: oldest first, unless desc." }),
        ),
      }),
      reply: listOf(AdminKey),
      handle: async ({ principal: { organizationId }, query: { order = "asc", ...paged } }) => {
        const asked = { organizationId, order, withRevoked: false };
        const page = await pageOf(paged, (place) => accounts.adminKeysOf({ ...asked, ...place }));
        return { ...page, data: page.data.map(adminKeyOf) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path: "/admin_api_keys", id: "createAdminKey", scope: "organization:write" },
      summary: "Create an admin key; its value is returned once",
      body: Type.Object({
        name: Name("key"),
        expires_in_seconds: ExpiresIn,
        scopes: Type.Optional(
          Type.Array(Scope, {
            ...{ minItems: 1, uniqueItems: true },
            description: "What the key may do: all that the key of the request may, unless said.",
          }),
        ),
      }),
      reply: Type.Object({ ...AdminKey.properties, value: Type.String() }),
      handle: async ({ principal, body }) => {
        const { organizationId, createdBy } = principal;
        const scopes = body.scopes ?? ADMIN_SCOPES.filter((scope) => principal.scopes.has(scope));
        const lacking = scopes.find((scope) => !principal.scopes.has(scope));
        if (lacking)
          throw new Refusal(
            "insufficient_scope",
            `This admin key lacks the scope ${lacking}, and gives it to no other.`,
          );
        const expiresAt = expiryOf(body.expires_in_seconds, clock);
        const fields = { organizationId, name: body.name, scopes, expiresAt, createdBy };
        const { secret, ...key } = await accounts.createAdminKey(fields);
        return { ...adminKeyOf(key), value: secret };
      },
    }),
    adminRoute({
      ...{ method: "GET", path: "/admin_api_keys/:admin_key", id: "getAdminKey" },
      ...{ scope: "organization:read", summary: "Get an admin key", reply: AdminKey },
      handle: async (call) => adminKeyOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "DELETE", path: "/admin_api_keys/:admin_key", id: "deleteAdminKey" },
      ...{ scope: "organization:write", summary: "Revoke an admin key", reply: Deleted(KIND) },
      handle: async (call) => {
        const { id } = await own(call);
        await accounts.revokeAdminKey(id);
        return deleted(id, KIND);
      },
    }),
  ];
}

const adminKeyOf = (key: AdminKeyRecord) => ({
  id: key.id,
  object: KIND,
  name: key.name,
  redacted_value: `sk_admin_…${key.last4}`,
  scopes: key.scopes,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  owner: key.created_by === null ? {} : { type: "user", object: "organization.user", id: key.created_by },
});
