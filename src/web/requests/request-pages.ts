/** Requests page by page, newest first; the newest are polled while only the first page is loaded. */
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Input, type Reply, type ServerError } from "../api/server.ts";

const ROUTE = "GET /api/organizations/:organization/requests";
type Page = Reply<typeof ROUTE>;
export type RequestRecord = Page["data"][number];
export type RequestQuery = NonNullable<Input<typeof ROUTE>["query"]>;

const LIMIT = 50;

type RequestsOptions = { organization: string; query: RequestQuery; everyMs: number | false };
type Pages = InfiniteData<Page, string | null>;

const rowsOf = ({ pages }: Pages): RequestRecord[] => pages.flatMap(({ data }) => data);

export function useRequests({ organization, query, everyMs }: RequestsOptions) {
  const key = [ROUTE, organization, query];
  const client = useQueryClient();
  const list = useInfiniteQuery<Page, ServerError, RequestRecord[], unknown[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      call(ROUTE, {
        ids: { organization },
        query: { ...query, limit: LIMIT, ...(pageParam ? { cursor: pageParam } : {}) },
      }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    select: rowsOf,
    placeholderData: keepPreviousData,
    // with older pages loaded, new rows would move what is being read
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? everyMs : false),
  });
  const toNewest = () => {
    client.setQueryData<Pages>(key, (all) => all && { pages: all.pages.slice(0, 1), pageParams: [null] });
    void list.refetch();
  };
  return { ...list, hasOlderPages: (list.data?.length ?? 0) > LIMIT, toNewest };
}

type Rows = RequestRecord[] | undefined;
type Seen = { filters: string; rows: Rows; newIds: ReadonlySet<string> };

/** The ids added by the last poll that added any; none of the first result for these filters. */
export function useNewIds(rows: Rows, filters: string): ReadonlySet<string> {
  const [seen, setSeen] = useState<Seen>({ filters, rows, newIds: new Set() });
  if (seen.filters !== filters || seen.rows !== rows)
    setSeen({ filters, rows, newIds: newIdsOf(seen, rows, filters) });
  return seen.newIds;
}

function newIdsOf(seen: Seen, rows: Rows, filters: string): ReadonlySet<string> {
  if (seen.filters !== filters || !seen.rows || !rows) return new Set();
  const known = new Set(seen.rows.map(({ id }) => id));
  const oldest = seen.rows.at(-1)?.id ?? "";
  // ids sort by time: older rows are those of a further page
  const added = rows.filter(({ id }) => !known.has(id) && id > oldest);
  return added.length > 0 ? new Set(added.map(({ id }) => id)) : seen.newIds;
}
