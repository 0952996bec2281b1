/** The request log: searched, filtered, followed live, opened one at a time. The address holds the whole state. */
import { useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { systemClock, unixSeconds } from "../../clock.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { site } from "../browser/site.ts";
import { zone } from "../format/times.ts";
import { Button } from "../ui/button.tsx";
import { Card, Page } from "../ui/page.tsx";
import { Failure, Loading } from "../ui/query-boundary.tsx";
import { useAddress } from "../usage/filters.tsx";
import { type Names, useNames } from "../usage/names.ts";
import { RequestDetail } from "./request-detail.tsx";
import { RequestFilters, requestQuery } from "./request-filters.tsx";
import { type RequestQuery, useNewIds, useRequests } from "./request-pages.ts";
import { RequestStrip } from "./request-strip.tsx";
import { RequestTable } from "./request-table.tsx";

const LIVE_MS = 1000;
/** What lies below the screen counts as seen. */
const BELOW = { rootMargin: "0px 0px 100000px 0px" };

export function Requests() {
  const [search, change] = useAddress();
  const names = useNames();
  const { top, isAtTop } = useIsAtTop();
  const filters = without(search, "open", "live");
  const isLive = search.has("live");
  const list = useRequestList(filters, isLive && isAtTop);
  const open = search.get("open");
  const isPaused = isLive && (list.hasOlderPages || !isAtTop);
  return (
    <Page title="Requests" actions={list.data?.length ? <Exports query={list.query} /> : null}>
      <RequestFilters names={names} />
      <RequestStrip query={list.query} now={list.now} />
      <Card
        className="wide"
        title="Newest first"
        actions={
          <>
            <span ref={top}>
              <LiveStatus isPaused={isPaused} newCount={list.newIds.size} />
            </span>
            {list.hasOlderPages && <Button onClick={list.toNewest}>Back to the newest</Button>}
            <Button role="switch" aria-checked={isLive} onClick={() => change({ live: isLive ? null : "1" })}>
              Live
            </Button>
          </>
        }
      >
        <RequestList list={list} names={names} isFiltered={filters !== ""} />
        {list.hasNextPage && (
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more
          </Button>
        )}
        <p className="hint">
          Times are in {zone()}. Requests are kept for 90 days. Text and audio are never stored.
        </p>
      </Card>
      {open && (
        <RequestDetail
          id={open}
          ids={(list.data ?? []).map(({ id }) => id)}
          names={names}
          onOpen={(id) => change({ open: id }, { replace: true })}
        />
      )}
    </Page>
  );
}

type RequestList = ReturnType<typeof useRequestList>;

function useRequestList(filters: string, isFollowing: boolean) {
  const { id: organization } = useOrganization();
  const { query, now } = useMemo(() => {
    const now = unixSeconds(systemClock);
    return { query: requestQuery(new URLSearchParams(filters), now), now };
  }, [filters]);
  const list = useRequests({ organization, query, everyMs: isFollowing && LIVE_MS });
  const newIds = useNewIds(list.isPlaceholderData ? undefined : list.data, filters);
  return { ...list, newIds, query, now };
}

/** All that the filters match, written by the server. */
function Exports({ query }: { query: RequestQuery }) {
  const { id } = useOrganization();
  return (["csv", "json"] as const).map((format) => (
    <a
      key={format}
      className="button plain"
      download
      href={`${site.base}/api/organizations/${id}/requests/export${searchOf({ ...query, format })}`}
      title="All requests that the filters match"
    >
      Export {format.toUpperCase()}
    </a>
  ));
}

type RequestListProps = { list: RequestList; names: Names; isFiltered: boolean };

function RequestList({ list, names, isFiltered }: RequestListProps) {
  const [search] = useAddress();
  const { id } = useOrganization();
  // without rows that the server gave, "no requests" would be a guess
  if (!list.data) {
    if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
    return <Loading />;
  }
  const href = (request: string) => {
    const address = new URLSearchParams(search);
    address.set("open", request);
    return `${hrefOf(id, "requests")}?${address}`;
  };
  return (
    <RequestTable
      rows={list.data}
      names={names}
      newIds={list.newIds}
      hrefOf={href}
      openId={search.get("open")}
      empty={<Empty isFiltered={isFiltered} />}
    />
  );
}

function LiveStatus({ isPaused, newCount }: { isPaused: boolean; newCount: number }) {
  const count = newCount > 0 ? `${newCount} new` : "";
  return <span role="status">{isPaused ? "Paused" : count}</span>;
}

function without(search: URLSearchParams, ...names: string[]): string {
  const rest = new URLSearchParams(search);
  for (const name of names) rest.delete(name);
  return rest.toString();
}

/** Whether the list is seen from its top, or is further down: then new rows move nothing that is being read. */
function useIsAtTop() {
  const top = useRef<HTMLSpanElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setAtTop(entry!.isIntersecting), BELOW);
    observer.observe(top.current!);
    return () => observer.disconnect();
  }, []);
  return { top, isAtTop };
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const { id } = useOrganization();
  if (isFiltered) return "No matching requests. Use fewer filters or a longer time range.";
  return (
    <p>
      No requests yet. The <Link href={hrefOf(id, "overview")}>overview</Link> shows how to send the first
      one.
    </p>
  );
}
