/** /v1/organization/usage: what was used, in buckets of minutes, hours or days (UTC). */
import Type from "typebox";
import { unixSeconds } from "../../../clock.ts";
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import type { UsageRow } from "../../../ledger/ledger.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { IDS, Id, idsOf, pageReply, pageReplyOf, readRows, type UsageDeps } from "./usage-page.ts";
import { bucketsOf, dimensionsOf, filtersOf, type Group, nextPage, UsageParameters } from "./usage-query.ts";

const KINDS = {
  audio_speeches: { kind: "speech", amount: { characters: Type.Integer() }, what: "speech" },
  audio_transcriptions: {
    kind: "transcription",
    amount: { seconds: Type.Number() },
    what: "transcriptions, translations and live sessions",
  },
} as const;

/** Of other products: exporters ask for all of them. */
const OTHERS = {
  ...{ completions: "Completions", embeddings: "Embeddings", moderations: "Moderations", images: "Images" },
  ...{ vector_stores: "VectorStores", code_interpreter_sessions: "CodeInterpreterSessions" },
  ...{ file_search_calls: "FileSearchCalls", web_search_calls: "WebSearchCalls" },
};

export const usageRoutes = (deps: UsageDeps): AdminRoute[] => [
  usageRoute(deps, "audio_speeches", "getSpeechUsage"),
  usageRoute(deps, "audio_transcriptions", "getTranscriptionUsage"),
  ...Object.entries(OTHERS).map(([path, name]) =>
    adminRoute({
      ...{ method: "GET", path: `/usage/${path}`, id: `get${name}Usage`, scope: "usage:read" },
      summary: `Answers that no ${path.replaceAll("_", " ")} were used: this server has none`,
      reply: pageReply(Type.Object({})),
      handle: async () => ({ object: "page", has_more: false, next_page: null, data: [] }),
    }),
  ),
];

function usageRoute(deps: UsageDeps, name: keyof typeof KINDS, id: string): AdminRoute {
  const { kind, amount, what } = KINDS[name];
  const object = `organization.usage.${name}.result` as const;
  return adminRoute({
    ...{ method: "GET", path: `/usage/${name}`, id, scope: "usage:read", query: UsageParameters },
    summary: `Get the usage of ${what}`,
    reply: pageReply(
      Type.Object({
        ...{ object: Type.Literal(object), ...amount, num_model_requests: Type.Integer(), ...IDS, model: Id },
        ...{ endpoint: Type.Optional(Type.String()), environment: Type.Optional(Type.String()) },
      }),
    ),
    handle: async ({ principal: { organizationId }, query }) => {
      const { bucket_width: width = "1d", group_by: groups = [] } = query;
      const filters = { organizationId, name, groups, filters: filtersOf(query) };
      const paging = { signatures: deps.signatures, width, filters };
      const buckets = await bucketsOf(query, { ...paging, now: unixSeconds(deps.clock) });
      const asked = { ...filters, kind, groupBy: dimensionsOf(groups) };
      const rows = await readRows(deps, asked, buckets);
      const results = rows.map((row) => ({
        start: row.start,
        result: {
          object,
          ...(kind === "speech"
            ? { characters: row.characters }
            : { seconds: roundSeconds(row.audioSeconds) }),
          num_model_requests: row.succeeded,
          ...idsOf(row),
          model: row.groups.model || null,
          ...ownOf(row, groups),
        },
      }));
      return pageReplyOf(results, buckets, await nextPage(query, paging, buckets));
    },
  });
}

/** What only this server groups by. */
const ownOf = ({ groups: { endpoint, environment } }: UsageRow, groups: readonly Group[]) => ({
  ...(groups.includes("endpoint") && { endpoint }),
  ...(groups.includes("environment") && { environment }),
});
