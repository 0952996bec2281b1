/** Routes of service accounts, for the owners of an organization. */
import Type from "typebox";
import { Name } from "./account-routes.ts";
import { Environment, KeyWithSecret, listOf, nullable, Scope, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const ServiceAccountRecord = Type.Object({
  id: Text,
  object: Type.Literal("service_account"),
  project_id: Text,
  name: Text,
  created_at: Whole,
  /** How many of its keys are active, and when one of its keys was last used. */
  keys: Whole,
  last_used_at: nullable(Whole),
});

const NewKey = {
  environment: Environment,
  scopes: Type.Optional(Type.Array(Scope, { minItems: 1, uniqueItems: true })),
  expires_at: Type.Optional(nullable(Whole)),
};

export const serviceAccountRoutes = {
  "GET /api/organizations/:organization/service-accounts": {
    summary: "List the service accounts of all projects, newest first",
    needs: "owner",
    reply: listOf(ServiceAccountRecord),
  },
  "POST /api/projects/:project/service-accounts": {
    summary: "Create a service account and its first API key, whose secret is returned once",
    needs: "owner",
    status: 201,
    body: Type.Object({ name: Name, ...NewKey }),
    reply: KeyWithSecret,
  },
  "POST /api/service-accounts/:serviceAccount/keys": {
    summary: "Create an API key of a service account; its secret is returned once",
    needs: "owner",
    status: 201,
    body: Type.Object({ name: Name, ...NewKey }),
    reply: KeyWithSecret,
  },
  "DELETE /api/service-accounts/:serviceAccount": {
    summary: "Delete a service account and revoke its keys",
    needs: "owner",
    confirms: true,
  },
} as const satisfies Routes;
