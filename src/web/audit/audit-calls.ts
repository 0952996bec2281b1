/** The audit log of one owner: an organization, or the whole server. */
import { useQuery } from "@tanstack/react-query";
import { AUDIT_KINDS } from "../../audit-types.ts";
import { systemClock, unixSeconds } from "../../clock.ts";
import { call, type Input, type Reply, type ServerError, searchOf } from "../api/server.ts";
import { site } from "../browser/site.ts";
import { timesIn } from "../usage/time-choice.tsx";

const SERVER = "GET /api/operator/audit-events";
type Page = Reply<typeof SERVER>;
export type AuditQuery = NonNullable<Input<typeof SERVER>["query"]>;

const LIMIT = 50;

/** What a page shows of the address: what else there is, is ignored. */
function auditQuery(search: URLSearchParams, now = unixSeconds(systemClock)): AuditQuery {
  const {
    kind = "",
    by,
    actor,
    project_id,
    organization,
  } = Object.fromEntries(search) as Record<string, string | undefined>;
  const types = AUDIT_KINDS.find(({ id }) => id === kind)?.types ?? (kind === "" ? [] : [kind]);
  return {
    ...timesIn(search, now),
    ...(types.length > 0 ? { event_types: types.join(",") } : {}),
    ...(by ? { actor_types: by } : {}),
    ...(actor ? { [actor.includes("@") ? "actor_emails" : "actor_ids"]: actor } : {}),
    ...(project_id ? { project_ids: project_id } : {}),
    ...scopeOf(organization),
  };
}

/** What stands for the server itself among the organizations. */
export const ITSELF = "server";

function scopeOf(organization: string | undefined): Pick<AuditQuery, "scope" | "organization_id"> {
  if (!organization) return {};
  return organization === ITSELF ? { scope: "server" } : { organization_id: organization };
}

/** The address of a file of all that the filters match; `organization` null: of the whole server. */
export function fileHref(
  organization: string | null,
  search: URLSearchParams,
  format: "csv" | "json",
): string {
  const owner = organization === null ? "operator" : `organizations/${organization}`;
  return `${site.base}/api/${owner}/audit-events/export${searchOf({ ...auditQuery(search), format })}`;
}

/** `organization` null: the whole server. `key`: what of the address decides on the rows. */
export function useAuditEvents(organization: string | null, search: URLSearchParams) {
  const key = [...search].filter(([name]) => name !== "open").map((pair) => pair.join("="));
  return useQuery<Page, ServerError>({
    queryKey: ["audit", organization, ...key],
    queryFn: () => {
      const cursor = search.get("cursor");
      const query = { ...auditQuery(search), limit: LIMIT, ...(cursor ? { cursor } : {}) };
      return organization === null
        ? call(SERVER, { query })
        : call("GET /api/organizations/:organization/audit-events", { ids: { organization }, query });
    },
    placeholderData: (last) => last,
  });
}
