/** Single requests: searched, filtered, followed as they come, opened one at a time. The address says what is shown. */
import { useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { systemClock, unixSeconds } from "../../clock.ts";
import { hrefOf } from "../lib/navigation.ts";
import { useOrganization } from "../lib/session.tsx";
import { Button } from "../ui/button.tsx";
import { download } from "../ui/export.ts";
import { Card, Failure, Page } from "../ui/page.tsx";
import "../style/usage.css";
import { useAddress } from "./filters.tsx";
import { type Names, useNames } from "./names.ts";
import { RequestDetail } from "./request-detail.tsx";
import { RequestFilters, requestQuery } from "./request-filters.tsx";
import { type RequestRecord, useFresh, useRequests } from "./request-pages.ts";
import { RequestRows } from "./request-rows.tsx";

const LIVE_MS = 1000;

export function Requests() {
  const [search, change] = useAddress();
  const { id: organization } = useOrganization();
  const names = useNames();
  const { top, atTop } = useTop();
  const shown = without(search, "open", "live");
  const query = useMemo(() => requestQuery(new URLSearchParams(shown), unixSeconds(systemClock)), [shown]);
  const live = search.has("live");
  const read = useRequests({ organization, query, everyMs: live && atTop && LIVE_MS });
  const fresh = useFresh(read.isPlaceholderData ? undefined : read.data, shown);
  const rows = read.data ?? [];
  const open = search.get("open");
  const address = (id: string) =>
    `${hrefOf(organization, "requests")}?${new URLSearchParams([...new URLSearchParams(without(search, "open")), ["open", id]])}`;
  const paused = live && (read.older || !atTop);
  return (
    <Page title="Requests" actions={<Exports rows={rows} names={names} />}>
      <div ref={top} className="searching">
        <RequestFilters names={names} />
      </div>
      <Card
        title="Newest first"
        actions={
          <>
            <span role="status">{paused ? "Paused" : fresh.size > 0 ? `${fresh.size} new` : ""}</span>
            {read.older && <Button onClick={read.toNewest}>Back to the newest</Button>}
            <Button role="switch" aria-checked={live} onClick={() => change({ live: live ? null : "1" })}>
              Live
            </Button>
          </>
        }
      >
        {read.error && <Failure error={read.error} again={() => void read.refetch()} />}
        {read.isLoading ? (
          <p className="loading" role="status">
            Loading …
          </p>
        ) : (
          !read.error && (
            <RequestRows
              {...{ rows, names, fresh }}
              hrefOf={address}
              empty={<Empty filtered={shown !== ""} />}
            />
          )
        )}
        {read.hasNextPage && (
          <Button busy={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
            Load more
          </Button>
        )}
        <p className="hint">Requests are kept for 90 days. Text and audio are never stored.</p>
      </Card>
      {open && <RequestDetail id={open} names={names} onClose={() => change({ open: null })} />}
    </Page>
  );
}

function without(search: URLSearchParams, ...names: string[]): string {
  const rest = new URLSearchParams(search);
  for (const name of names) rest.delete(name);
  return rest.toString();
}

/** Whether the beginning of the page is seen. */
function useTop() {
  const top = useRef<HTMLDivElement>(null);
  const [atTop, setAtTop] = useState(true);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => setAtTop(entry!.isIntersecting));
    watch.observe(top.current!);
    return () => watch.disconnect();
  }, []);
  return { top, atTop };
}

function Empty({ filtered }: { filtered: boolean }) {
  const { id } = useOrganization();
  if (filtered) return "No request is like that. Choose fewer filters or a longer time.";
  return (
    <p>
      No requests yet. The <Link href={hrefOf(id, "overview")}>overview</Link> shows how to send the first
      one.
    </p>
  );
}

/** Exactly the rows that are shown. */
function Exports({ rows, names }: { rows: RequestRecord[]; names: Names }) {
  const save = (format: "csv" | "json") =>
    download(
      "requests",
      format,
      rows.map(({ object: _object, paid_by, ...row }) => ({
        ...row,
        project_name: names.nameOf("project", row.project_id),
        key_name: names.nameOf("key", row.key_id),
        paid_by: paid_by.map(({ grant_id, amount_micros }) => `${grant_id}:${amount_micros}`).join(" "),
      })),
    );
  return (
    <>
      <Button disabled={rows.length === 0} onClick={() => save("csv")}>
        Export CSV
      </Button>
      <Button disabled={rows.length === 0} onClick={() => save("json")}>
        Export JSON
      </Button>
    </>
  );
}
