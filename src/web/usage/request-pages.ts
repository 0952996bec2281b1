/** Requests page by page, newest first; as long as one page is shown, the newest come by themselves. */
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Given, type Reply, type ServerError } from "../lib/server.ts";

const ROUTE = "GET /api/organizations/:organization/requests";
type Page = Reply<typeof ROUTE>;
export type RequestRecord = Page["data"][number];
export type RequestQuery = NonNullable<Given<typeof ROUTE>["query"]>;

const LIMIT = 50;

type Asked = { organization: string; query: RequestQuery; everyMs: number | false };
type Pages = InfiniteData<Page, string | null>;

const rowsOf = ({ pages }: Pages): RequestRecord[] => pages.flatMap(({ data }) => data);

export function useRequests({ organization, query, everyMs }: Asked) {
  const key = [ROUTE, organization, query];
  const client = useQueryClient();
  const read = useInfiniteQuery<Page, ServerError, RequestRecord[], unknown[], string | null>({
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
    // older pages stand still: what is read does not move away
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? everyMs : false),
  });
  const toNewest = () => {
    client.setQueryData<Pages>(key, (all) => all && { pages: all.pages.slice(0, 1), pageParams: [null] });
    void read.refetch();
  };
  return { ...read, older: (read.data?.length ?? 0) > LIMIT, toNewest };
}

type Rows = RequestRecord[] | undefined;
type Seen = { of: string; rows: Rows; fresh: ReadonlySet<string> };

/** Which rows came with the last answer that brought any; none of those that `of` began with. */
export function useFresh(rows: Rows, of: string): ReadonlySet<string> {
  const [seen, setSeen] = useState<Seen>({ of, rows, fresh: new Set() });
  if (seen.of !== of || seen.rows !== rows) setSeen({ of, rows, fresh: freshOf(seen, rows, of) });
  return seen.fresh;
}

function freshOf(seen: Seen, rows: Rows, of: string): ReadonlySet<string> {
  if (seen.of !== of || !seen.rows || !rows) return new Set();
  const known = new Set(seen.rows.map(({ id }) => id));
  const oldest = seen.rows.at(-1)?.id ?? "";
  // ids begin with their time: what is older came by loading more
  const came = rows.filter(({ id }) => !known.has(id) && id > oldest);
  return came.length > 0 ? new Set(came.map(({ id }) => id)) : seen.fresh;
}
