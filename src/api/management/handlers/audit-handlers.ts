/** Handlers of the audit log. */
import type { AuditFilter, AuditScope } from "../../../audit/audit-reads.ts";
import { type AuditRecord, auditFields, auditPages, auditRecords } from "../../../audit/audit-record.ts";
import type { Row } from "../../../csv.ts";
import { invalidInput } from "../../../errors.ts";
import { csvFile, jsonFile } from "../../middleware/row-files.ts";
import type { auditRoutes } from "../schema/audit-routes.ts";
import type { QueryOf } from "../schema/route.ts";
import { page } from "./cursor.ts";
import type { Handlers, Reads } from "./handler.ts";

type Routes = typeof auditRoutes;
type Query = QueryOf<Routes["GET /api/operator/audit-events"]>;
type FileQuery = QueryOf<Routes["GET /api/operator/audit-events/export"]>;

const VALUES_MAX = 100;
const ROWS_MAX = 1_000_000;

export function auditHandlers({
  auditReads,
  signatures,
}: Reads<"auditReads" | "signatures">): Handlers<Routes> {
  const list = async (scope: AuditScope, query: Query) => {
    const { limit, cursor } = query;
    const filter = filterOf(query);
    const asked = { signatures, filters: { list: "audit", scope, filter }, limit, cursor };
    const { data, ...rest } = await page(asked, (after, limit) =>
      auditReads.auditEvents(scope, filter, { after, before: null, limit }),
    );
    return { ...rest, data: await auditRecords(auditReads, data) };
  };
  const file = async (scope: AuditScope, { format = "csv", ...query }: FileQuery) => {
    const pages = auditPages(auditReads, { scope, filter: filterOf(query), most: ROWS_MAX });
    const type = format === "csv" ? "text/csv; charset=utf-8" : "application/json";
    const content = format === "csv" ? csvFile(flat(pages)) : jsonFile(pages);
    return { name: `audit-log.${format}`, type, content };
  };
  return {
    "GET /api/organizations/:organization/audit-events": ({ organizationId, query }) =>
      list({ organizationId }, query),
    "GET /api/organizations/:organization/audit-events/export": ({ organizationId, query }) =>
      file({ organizationId }, query),
    "GET /api/operator/audit-events": ({ query }) => list(scopeOf(query), query),
    "GET /api/operator/audit-events/export": ({ query }) => file(scopeOf(query), query),
  };
}

async function* flat(pages: AsyncGenerator<AuditRecord[]>): AsyncGenerator<Row[]> {
  for await (const records of pages) yield records.map(auditFields);
}

type Scoped = Pick<Query, "scope" | "organization_id">;

function scopeOf({ scope = "everything", organization_id: organizationId }: Scoped): AuditScope {
  if (organizationId !== undefined) return { organizationId };
  return scope === "server" ? { organizationId: null } : "everything";
}

function filterOf({ start, end, ...query }: Query): AuditFilter {
  return {
    types: listIn("event_types", query.event_types),
    actorTypes: listIn("actor_types", query.actor_types),
    actorIds: listIn("actor_ids", query.actor_ids),
    actorEmails: listIn("actor_emails", query.actor_emails?.toLowerCase()),
    projectIds: listIn("project_ids", query.project_ids),
    resourceIds: listIn("resource_ids", query.resource_ids),
    effectiveAt: { gte: start, lt: end },
  };
}

/** Undefined where it says nothing. */
function listIn(field: string, text = ""): string[] | undefined {
  const values = [...new Set(text.split(",").map((value) => value.trim()))].filter((value) => value !== "");
  if (values.length > VALUES_MAX)
    throw invalidInput([{ field, code: "too_long", message: `must have at most ${VALUES_MAX} values` }]);
  return values.length === 0 ? undefined : values;
}
