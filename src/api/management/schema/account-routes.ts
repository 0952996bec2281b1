/** Routes of sign-in sessions, organizations, projects and keys. */
import Type from "typebox";
import { DISPLAY_NAME } from "../../../display-name.ts";
import {
  Environment,
  Flag,
  KeyRecord,
  KeyWithSecret,
  listOf,
  Membership,
  nullable,
  OrganizationRecord,
  ProjectRecord,
  Scope,
  Text,
  UserRecord,
  Whole,
} from "./records.ts";
import type { Routes } from "./route.ts";

export const Name = Type.String(DISPLAY_NAME);
const Named = Type.Object({ name: Name });
const Scopes = Type.Array(Scope, { minItems: 1, uniqueItems: true });
const Page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Text),
};

export const accountRoutes = {
  "GET /api/installation": {
    summary: "Get server capabilities and sign-up policy",
    needs: "anyone",
    reply: Type.Object({
      object: Type.Literal("installation"),
      version: Text,
      /** Whether sign-up is open, by invitation, or closed. */
      sign_up: Type.Enum(["open", "invited", "closed"]),
      /** Whether mail is sent, or written to a folder. */
      mail: Type.Enum(["smtp", "folder"]),
      payments: Flag,
      /** True until the server has a verified user: the set-up link creates one, or the first mailed link that is followed. */
      fresh: Flag,
    }),
  },
  "GET /api/session": {
    summary: "Get the current user and their organizations",
    needs: "user",
    reply: Type.Object({ user: UserRecord, organizations: Type.Array(Membership), csrf_token: Text }),
  },
  "GET /api/organizations": {
    summary: "List the user's organizations",
    needs: "user",
    reply: listOf(OrganizationRecord),
  },
  "POST /api/organizations": {
    summary: "Create an organization (without starting credit)",
    needs: "user",
    status: 201,
    body: Named,
    reply: OrganizationRecord,
  },
  "GET /api/organizations/:organization": {
    summary: "Retrieve an organization",
    needs: "member",
    reply: OrganizationRecord,
  },
  "PATCH /api/organizations/:organization": {
    summary: "Rename an organization",
    needs: "owner",
    body: Named,
    reply: OrganizationRecord,
  },
  "GET /api/organizations/:organization/connection": {
    summary: "Get the model names and ports that client applications need",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("connection"),
      /** The default model of each kind; null if none is installed. */
      speech: nullable(Type.Object({ model: Text, voice: Text })),
      transcription: nullable(Type.Object({ model: Text })),
      /** Null if the port is off. `key_id`: null if the key belongs to another organization. */
      wyoming: nullable(Type.Object({ port: Whole, key_id: nullable(Text) })),
    }),
  },
  "GET /api/organizations/:organization/projects": {
    summary: "List projects, including archived ones",
    needs: "member",
    reply: listOf(ProjectRecord),
  },
  "POST /api/organizations/:organization/projects": {
    summary: "Create a project",
    needs: "admin",
    status: 201,
    body: Named,
    reply: ProjectRecord,
  },
  "GET /api/projects/:project": { summary: "Retrieve a project", needs: "member", reply: ProjectRecord },
  "PATCH /api/projects/:project": {
    summary: "Rename a project",
    needs: "admin",
    body: Named,
    reply: ProjectRecord,
  },
  "POST /api/projects/:project/archive": {
    summary: "Archive a project and revoke its keys",
    needs: "admin",
    reply: ProjectRecord,
  },
  "GET /api/organizations/:organization/keys": {
    summary: "List API keys, newest first, including revoked and expired ones",
    needs: "member",
    query: Type.Object({
      project_id: Type.Optional(Text),
      environment: Type.Optional(Environment),
      status: Type.Optional(Type.Enum(["active", "revoked", "expired"])),
      /** A user id. Keys are revoked when their creator leaves or is removed, unless `keys` is `keep` there. */
      created_by: Type.Optional(Text),
      ...Page,
    }),
    reply: listOf(KeyRecord),
  },
  "POST /api/projects/:project/keys": {
    summary: "Create an API key; its secret is returned once",
    needs: "member",
    status: 201,
    body: Type.Object({
      name: Name,
      environment: Environment,
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(nullable(Whole)),
    }),
    reply: KeyWithSecret,
  },
  "POST /api/projects/:project/playground-key": {
    summary: "Create a short-lived test key for the playground, replacing the previous one",
    needs: "member",
    status: 201,
    reply: KeyWithSecret,
  },
  "GET /api/keys/:key": { summary: "Retrieve an API key", needs: "member", reply: KeyRecord },
  "PATCH /api/keys/:key": {
    summary: "Update a key's name, scopes or expiry",
    needs: "member",
    body: Type.Object({
      name: Type.Optional(Name),
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(nullable(Whole)),
    }),
    reply: KeyRecord,
  },
  "POST /api/keys/:key/rotate": {
    summary: "Rotate an API key; the old secret stays valid for a grace period",
    needs: "member",
    status: 201,
    body: Type.Object({
      grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
    }),
    reply: KeyWithSecret,
  },
  "POST /api/keys/:key/revoke": { summary: "Revoke an API key", needs: "member", reply: KeyRecord },
} as const satisfies Routes;
