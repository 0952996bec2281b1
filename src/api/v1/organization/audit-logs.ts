/** /v1/organization/audit_logs: who changed what in the organization, newest first, as OpenAI's clients read it. */
import Type from "typebox";
import type { Change } from "../../../audit/audit-events.ts";
import type { AuditReads, AuditRow } from "../../../audit/audit-reads.ts";
import { ACTOR_TYPES } from "../../../audit-types.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { listOf, PAGED_BOTH_WAYS, pageOf } from "./listing.ts";
import { nullable, Time } from "./records.ts";

const Text = nullable(Type.String());

const AuditLog = Type.Object({
  id: Type.String(),
  object: Type.Literal("organization.audit_log"),
  type: Type.String(),
  effective_at: Time,
  project: Type.Optional(Type.Object({ id: Type.String() })),
  /** Null for the command line and for the server itself. */
  actor: nullable(
    Type.Object({
      type: Type.Enum(["session", "api_key"]),
      session: Type.Optional(Type.Object({ user: Type.Object({ id: Text, email: Text }), ip_address: Text })),
      api_key: Type.Optional(Type.Object({ id: Text, type: Type.Literal("user") })),
    }),
  ),
  loquat_actor: Type.Object({
    type: Type.Enum(ACTOR_TYPES),
    id: Text,
    email: Text,
    ip_address: Text,
    user_agent: Text,
  }),
  resource_id: Text,
  /** Each field with its value before and after; secrets are never told. */
  changes: Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
});

const values = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 254, pattern: "^[^\\u0000]*$" }), {
      ...{ maxItems: 100, description: `${description} At most 100.` },
    }),
  );
const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

const Query = Type.Object({
  ...PAGED_BOTH_WAYS,
  "effective_at[gt]": moment("Only after this time, in Unix seconds."),
  "effective_at[gte]": moment("Only from this time on, in Unix seconds."),
  "effective_at[lt]": moment("Only before this time, in Unix seconds."),
  "effective_at[lte]": moment("Only until this time, in Unix seconds."),
  project_ids: values("Only of these projects."),
  event_types: values("Only of these types, such as `api_key.created`."),
  actor_ids: values("Only by these users or keys."),
  actor_emails: values("Only by users with these addresses."),
  resource_ids: values("Only of what has these ids."),
});

export function auditLogRoute({ auditReads }: { auditReads: AuditReads }): AdminRoute {
  return adminRoute({
    ...{ method: "GET", path: "/audit_logs", id: "listAuditLogs", scope: "organization:read" },
    ...{ summary: "List who changed what, newest first", query: Query, reply: listOf(AuditLog) },
    handle: async ({ principal: { organizationId }, query }) => {
      const filter = {
        ...{ types: query.event_types, projectIds: query.project_ids, resourceIds: query.resource_ids },
        ...{ actorIds: query.actor_ids },
        actorEmails: query.actor_emails?.map((email) => email.toLowerCase()),
        effectiveAt: {
          ...{ gt: query["effective_at[gt]"], gte: query["effective_at[gte]"] },
          ...{ lt: query["effective_at[lt]"], lte: query["effective_at[lte]"] },
        },
      };
      const page = await pageOf(query, (place) => auditReads.auditEvents({ organizationId }, filter, place));
      return { ...page, data: page.data.map(auditLogOf) };
    },
  });
}

function auditLogOf(row: AuditRow) {
  const changes = JSON.parse(row.changes) as Change[];
  const after = Object.fromEntries(changes.map(({ field, after: value }) => [field, value]));
  const told = /\.(created|added|sent|granted)$/.test(row.type) ? "data" : "changes_requested";
  return {
    ...{ id: row.id, object: "organization.audit_log", type: row.type, effective_at: row.effectiveAt },
    ...(row.projectId === null ? {} : { project: { id: row.projectId } }),
    actor: actorOf(row),
    loquat_actor: {
      ...{ type: row.actorType, id: row.actorId, email: row.actorEmail },
      ...{ ip_address: row.address, user_agent: row.userAgent },
    },
    ...{ resource_id: row.resourceId, changes },
    [row.type]: { id: row.resourceId, ...(changes.length > 0 ? { [told]: after } : {}) },
  };
}

/** As OpenAI's clients know actors: people in a browser, and keys. */
function actorOf({ actorType, actorId, actorEmail, address }: AuditRow) {
  if (actorType === "user" || actorType === "operator") {
    const user = { id: actorId, email: actorEmail };
    return { type: "session", session: { user, ip_address: address } };
  }
  if (actorType === "api_key" || actorType === "admin_key")
    return { type: "api_key", api_key: { id: actorId, type: "user" } };
  return null;
}
