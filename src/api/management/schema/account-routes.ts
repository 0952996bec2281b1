/** Routes of who somebody is, and of organizations, projects and keys. */
import Type from "typebox";
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

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" });
const Named = Type.Object({ name: Name });
const Scopes = Type.Array(Scope, { minItems: 1, uniqueItems: true });
const Page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Text),
};

export const accountRoutes = {
  "GET /api/installation": {
    summary: "What this server offers to whoever comes",
    needs: "anyone",
    reply: Type.Object({
      object: Type.Literal("installation"),
      version: Text,
      /** Whether somebody may make an account: by themselves, by invitation, not at all. */
      sign_up: Type.Enum(["open", "invited", "closed"]),
      /** Mail is sent, or written to a folder that the operator reads. */
      mail: Type.Enum(["smtp", "folder"]),
      payments: Flag,
      /** Nobody has a verified account yet: the first one runs this server. */
      fresh: Flag,
    }),
  },
  "GET /api/session": {
    summary: "Who is signed in, and where they belong",
    needs: "user",
    reply: Type.Object({ user: UserRecord, organizations: Type.Array(Membership), csrf_token: Text }),
  },
  "GET /api/organizations": {
    summary: "The organizations somebody belongs to",
    needs: "user",
    reply: listOf(OrganizationRecord),
  },
  "POST /api/organizations": {
    summary: "Make an organization; it has no starting credit",
    needs: "user",
    status: 201,
    body: Named,
    reply: OrganizationRecord,
  },
  "GET /api/organizations/:organization": {
    summary: "An organization",
    needs: "member",
    reply: OrganizationRecord,
  },
  "PATCH /api/organizations/:organization": {
    summary: "Rename an organization",
    needs: "owner",
    body: Named,
    reply: OrganizationRecord,
  },
  "GET /api/organizations/:organization/projects": {
    summary: "Projects, archived ones too",
    needs: "member",
    reply: listOf(ProjectRecord),
  },
  "POST /api/organizations/:organization/projects": {
    summary: "Make a project",
    needs: "admin",
    status: 201,
    body: Named,
    reply: ProjectRecord,
  },
  "GET /api/projects/:project": { summary: "A project", needs: "member", reply: ProjectRecord },
  "PATCH /api/projects/:project": {
    summary: "Rename a project",
    needs: "admin",
    body: Named,
    reply: ProjectRecord,
  },
  "POST /api/projects/:project/archive": {
    summary: "Archive a project; its keys are revoked with it",
    needs: "admin",
    reply: ProjectRecord,
  },
  "GET /api/organizations/:organization/keys": {
    summary: "Keys, newest first; revoked and expired ones too",
    needs: "member",
    query: Type.Object({
      project_id: Type.Optional(Text),
      environment: Type.Optional(Environment),
      status: Type.Optional(Type.Enum(["active", "revoked", "expired"])),
      /** A user: whose keys are revoked when they leave or are removed, unless `keys` is `keep` there. */
      created_by: Type.Optional(Text),
      ...Page,
    }),
    reply: listOf(KeyRecord),
  },
  "POST /api/projects/:project/keys": {
    summary: "Make a key; its secret is shown once",
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
    summary: "A test key of some hours for the playground, in place of one that was made before",
    needs: "member",
    status: 201,
    reply: KeyWithSecret,
  },
  "GET /api/keys/:key": { summary: "A key", needs: "member", reply: KeyRecord },
  "PATCH /api/keys/:key": {
    summary: "Change a key's name, scopes or end",
    needs: "member",
    body: Type.Object({
      name: Type.Optional(Name),
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(nullable(Whole)),
    }),
    reply: KeyRecord,
  },
  "POST /api/keys/:key/rotate": {
    summary: "A new secret for the same key; the old one holds for a while more",
    needs: "member",
    status: 201,
    body: Type.Object({
      grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
    }),
    reply: KeyWithSecret,
  },
  "POST /api/keys/:key/revoke": { summary: "Revoke a key", needs: "member", reply: KeyRecord },
} as const satisfies Routes;
