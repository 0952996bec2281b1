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
  ProjectRestrictions,
  Restrictions,
  Retention,
  Scope,
  Text,
  UserRecord,
  Whole,
} from "./records.ts";
import type { Routes } from "./route.ts";

export const Name = Type.String(DISPLAY_NAME);
const Named = Type.Object({ name: Name });
const Scopes = Type.Array(Scope, { minItems: 1, uniqueItems: true });
const TwoFactor = Type.Object({
  /** A password takes a code besides. */
  enabled: Flag,
  /** A second factor stands behind the session: a code, or the provider. */
  satisfied: Flag,
  /** The server asks its operators for one, and the user is one. */
  required: Flag,
});
/** Only owners and admins may send these. A budget that is changed begins unused. */
const Restricting = { restrictions: Type.Optional(Restrictions), reset_budget: Type.Optional(Flag) };
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
      /** Where browsers reach this server, as links in mails have it. */
      url: Text,
      /** Whether sign-up is open, by invitation, or closed. */
      sign_up: Type.Enum(["open", "invited", "closed"]),
      /** Whether mail is sent, or written to a folder. */
      mail: Type.Enum(["smtp", "folder"]),
      payments: Flag,
      /** The most days that requests are logged, and that new keys last; null: forever. */
      request_log_days: Whole,
      key_max_days: nullable(Whole),
      /** Who may sign in with a password. */
      passwords: Type.Enum(["on", "operators", "off"]),
      /** Where companies' people sign in: `POST /api/auth/sign-in/{id}` begins it. */
      sign_in_providers: Type.Array(Type.Object({ id: Text, name: Text })),
      /** True until the server has a verified user: the set-up link creates one, or the first mailed link that is followed. */
      fresh: Flag,
    }),
  },
  "GET /api/session": {
    summary: "Get the current user and their organizations",
    needs: "user",
    reply: Type.Object({
      user: UserRecord,
      /** The id of the sign-in provider; null: signed in with a password. */
      provider: nullable(Text),
      organizations: Type.Array(Membership),
      csrf_token: Text,
      two_factor: TwoFactor,
    }),
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
    summary: "Change an organization's name, or what is kept of it and for how long",
    needs: "owner",
    body: Type.Partial(Type.Object({ name: Name, ...Retention })),
    reply: OrganizationRecord,
  },
  "PUT /api/organizations/:organization/two-factor": {
    summary: "Ask every member for a second factor, or no longer; who asks needs one",
    needs: "owner",
    confirms: true,
    body: Type.Object({ required: Flag }),
    reply: OrganizationRecord,
  },
  "GET /api/organizations/:organization/connection": {
    summary: "Get the model names and ports that client applications need",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("connection"),
      addresses: Type.Array(Text, {
        description: "Where clients reach this server: the address for links first, then others.",
      }),
      /** The default model of each kind; null if none is installed. */
      speech: nullable(Type.Object({ model: Text, voice: Text, voice_name: Text })),
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
    summary: "Update a project's name or restrictions, or reset its budget",
    needs: "admin",
    body: Type.Object({
      name: Type.Optional(Name),
      ...Restricting,
      restrictions: Type.Optional(ProjectRestrictions),
      /** What its new keys have. */
      default_key_restrictions: Type.Optional(Restrictions),
      /** Null: its organization's. */
      data_retention: Type.Optional(nullable(Retention.data_retention)),
    }),
    reply: ProjectRecord,
  },
  "POST /api/projects/:project/archive": {
    summary: "Archive a project and revoke its keys",
    needs: "admin",
    confirms: true,
    reply: ProjectRecord,
  },
  "GET /api/organizations/:organization/keys": {
    summary: "List and search API keys, including revoked and expired ones",
    needs: "member",
    query: Type.Object({
      project_id: Type.Optional(Text),
      environment: Type.Optional(Environment),
      status: Type.Optional(Type.Enum(["active", "revoked", "expired"])),
      /** A user id. Keys are revoked when their creator leaves or is removed, unless `keys` is `keep` there. */
      created_by: Type.Optional(Text),
      /** Words, each of which the name, the id or the shown part of the secret contains. */
      search: Type.Optional(Type.String({ maxLength: 200 })),
      /** Newest first, or those that were used last. */
      order: Type.Optional(Type.Enum(["newest", "last_used"])),
      /** Whether keys that the playground makes are among them; they are, unless excluded. */
      playground: Type.Optional(Type.Enum(["included", "excluded"])),
      ...Page,
    }),
    /** `total`: on all pages. */
    reply: Type.Object({ ...listOf(KeyRecord).properties, total: Whole }),
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
      /** By default those that the project has for new keys. Only owners and admins set others. */
      restrictions: Type.Optional(Restrictions),
    }),
    reply: KeyWithSecret,
  },
  "POST /api/projects/:project/playground-key": {
    summary: "Create a short-lived test key for the playground, or give the one before a new secret",
    needs: "member",
    status: 201,
    reply: KeyWithSecret,
  },
  "GET /api/keys/:key": { summary: "Retrieve an API key", needs: "member", reply: KeyRecord },
  "PATCH /api/keys/:key": {
    summary: "Update a key's name, scopes, expiry or restrictions, or reset its budget",
    needs: "member",
    body: Type.Object({
      name: Type.Optional(Name),
      scopes: Type.Optional(Scopes),
      expires_at: Type.Optional(nullable(Whole)),
      ...Restricting,
    }),
    reply: KeyRecord,
  },
  "POST /api/keys/:key/rotate": {
    summary: "Rotate an API key; the old secret stays valid for a grace period",
    needs: "member",
    status: 201,
    body: Type.Object({
      grace_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 30 * 86_400, description: "How long; not at all unless said." }),
      ),
    }),
    reply: KeyWithSecret,
  },
  "POST /api/keys/:key/revoke": { summary: "Revoke an API key", needs: "member", reply: KeyRecord },
} as const satisfies Routes;
