/** Routes of the audit log: who changed what in an organization, and on the whole server. */
import Type from "typebox";
import { ACTOR_TYPES } from "../../../audit-types.ts";
import { listOf, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const AuditEvent = Type.Object({
  id: Text,
  object: Type.Literal("audit_event"),
  type: Text,
  effective_at: Whole,
  /** Null: of the server itself. */
  organization_id: nullable(Text),
  organization_name: nullable(Text),
  project_id: nullable(Text),
  /** What was changed, and its name as it is now; null where it has none, or was deleted. */
  resource_id: nullable(Text),
  resource_name: nullable(Text),
  actor: Type.Object({
    type: Type.Enum(ACTOR_TYPES),
    /** Of a user or a key; null for the command line and for the server itself. */
    id: nullable(Text),
    name: nullable(Text),
    email: nullable(Text),
    ip_address: nullable(Text),
    user_agent: nullable(Text),
  }),
  /** Each field with its value before and after; secrets are never told. */
  changes: Type.Array(Type.Object({ field: Text, before: Type.Unknown(), after: Type.Unknown() })),
});

/** Values separated by commas, at most 100. */
const List = Type.Optional(Type.String({ maxLength: 8000 }));

const Filters = {
  /** In Unix seconds: from then on. */
  start: Type.Optional(Whole),
  /** In Unix seconds: before then. */
  end: Type.Optional(Whole),
  /** Such as `api_key.created`; several separated by commas, as in the lists below. */
  event_types: List,
  /** Any of user, operator, api_key, admin_key, command_line, system. */
  actor_types: List,
  /** Of users and keys. */
  actor_ids: List,
  actor_emails: List,
  project_ids: List,
  resource_ids: List,
};

const Paged = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Text),
};

/** Of the whole server; only of one organization, or only of the server itself. */
const Scope = {
  scope: Type.Optional(Type.Enum(["everything", "server"])),
  organization_id: Type.Optional(Text),
};

const Format = { format: Type.Optional(Type.Enum(["csv", "json"])) };

export const auditRoutes = {
  "GET /api/organizations/:organization/audit-events": {
    summary: "List who changed what in an organization in the last 400 days, newest first",
    needs: "admin",
    query: Type.Object({ ...Filters, ...Paged }),
    reply: listOf(AuditEvent),
  },
  "GET /api/organizations/:organization/audit-events/export": {
    summary: "Download the events of an organization that the filters match, newest first, at most 1,000,000",
    needs: "admin",
    query: Type.Object({ ...Filters, ...Format }),
    download: "rows",
  },
  "GET /api/operator/audit-events": {
    summary:
      "List who changed what on the server and in every organization in the last 400 days, newest first",
    needs: "operator",
    query: Type.Object({ ...Filters, ...Scope, ...Paged }),
    reply: listOf(AuditEvent),
  },
  "GET /api/operator/audit-events/export": {
    summary:
      "Download the events of the whole server that the filters match, newest first, at most 1,000,000",
    needs: "operator",
    query: Type.Object({ ...Filters, ...Scope, ...Format }),
    download: "rows",
  },
} as const satisfies Routes;
