/** /v1/organization/requests: the request log, newest first, as a list or as a CSV file. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import { Refusal } from "../../../errors.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { RequestFilters } from "../../management/schema/request-filters.ts";
import { RequestRecord } from "../../management/schema/usage-records.ts";
import { csvFile, fileOf } from "../../middleware/row-files.ts";
import { exportedRows } from "../../requests/request-export.ts";
import { requestFiltersOf } from "../../requests/request-filters.ts";
import { requestRecord } from "../../requests/request-record.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { listOf, PAGED, pageOf } from "./listing.ts";

const CSV = "text/csv";

const Query = Type.Object({
  ...RequestFilters,
  ...PAGED,
  after: Type.Optional(
    Type.String({
      pattern: "^req_[0-9a-z]{24}$",
      description: "The id of the last request of the page before; older ones follow.",
    }),
  ),
});

type RequestDeps = { accounts: Accounts; ledger: Ledger };

export function requestsRoute(deps: RequestDeps): AdminRoute {
  const exporting = new Set<string>();
  return adminRoute({
    ...{ method: "GET", path: "/requests", id: "listRequests", scope: "usage:read" },
    summary: "List the requests of the last 90 days, newest first; as `text/csv`, up to 1,000,000 of them",
    ...{ query: Query, reply: listOf(RequestRecord), files: { [CSV]: { schema: { type: "string" } } } },
    refusals: ["concurrency_limit_exceeded"],
    handle: async ({ principal: { organizationId }, query, accepts, signal }) => {
      const { after = null, ...paged } = query;
      const filters = await requestFiltersOf(deps, organizationId, query);
      if (accepts(CSV)) {
        const ended = begin(exporting, organizationId, signal);
        const rows = until(exportedRows(deps, { ...filters, after }), ended);
        return fileOf({ name: "requests.csv", type: `${CSV}; charset=utf-8`, content: csvFile(rows) });
      }
      const page = await pageOf({ ...paged, ...(after && { after }) }, (place) =>
        deps.ledger.requestPage({ ...filters, before: place.after, limit: place.limit }),
      );
      return { ...page, data: page.data.map(requestRecord) };
    },
  });
}

/** Refuses a second export of an organization; what it returns ends this one, and so does the caller that leaves. */
function begin(exporting: Set<string>, organizationId: string, signal: AbortSignal): () => void {
  if (exporting.has(organizationId))
    throw new Refusal(
      "concurrency_limit_exceeded",
      "Your organization downloads its requests already. Wait for the end of that, or read pages of JSON.",
    );
  exporting.add(organizationId);
  const ended = () => exporting.delete(organizationId);
  signal.addEventListener("abort", ended, { once: true });
  return ended;
}

async function* until<T>(pages: AsyncGenerator<T>, ended: () => void): AsyncGenerator<T> {
  try {
    yield* pages;
  } finally {
    ended();
  }
}
