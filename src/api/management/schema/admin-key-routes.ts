/** Routes of admin keys, for the owners of an organization. */
import Type from "typebox";
import { ADMIN_SCOPES } from "../../../scopes.ts";
import { Name } from "./account-routes.ts";
import { listOf, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const AdminScope = Type.Enum([...ADMIN_SCOPES]);

const AdminKeyRecord = Type.Object({
  id: Text,
  object: Type.Literal("admin_api_key"),
  organization_id: Text,
  name: Text,
  last4: Text,
  scopes: Type.Array(Text),
  status: Type.Enum(["active", "revoked", "expired"]),
  created_at: Whole,
  created_by: nullable(Text),
  expires_at: nullable(Whole),
  last_used_at: nullable(Whole),
  revoked_at: nullable(Whole),
});

export const adminKeyRoutes = {
  "GET /api/organizations/:organization/admin-keys": {
    summary: "List admin keys, newest first, including revoked and expired ones",
    needs: "owner",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(AdminKeyRecord),
  },
  "POST /api/organizations/:organization/admin-keys": {
    summary: "Create an admin key; its secret is returned once",
    needs: "owner",
    confirms: true,
    status: 201,
    body: Type.Object({
      name: Name,
      scopes: Type.Optional(Type.Array(AdminScope, { minItems: 1, uniqueItems: true })),
      expires_at: Type.Optional(nullable(Whole)),
    }),
    reply: Type.Object({ ...AdminKeyRecord.properties, secret: Text }),
  },
  "POST /api/admin-keys/:adminKey/revoke": {
    summary: "Revoke an admin key",
    needs: "owner",
    reply: AdminKeyRecord,
  },
} as const satisfies Routes;
