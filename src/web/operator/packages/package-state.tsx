/** How far the download of a package is, or why it failed and what can be done about it. */
import { useEffect, useRef, useState } from "react";
import { span } from "../../format/times.ts";
import { Badge } from "../../ui/page.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import type { Package } from "./package.ts";
import { progressText } from "./total.ts";

export function PackageState({ item }: { item: Package }) {
  const { name, pull, installed_version, version } = item;
  if (pull?.status === "running") return <Progress name={name} bytes={pull.bytes} total={pull.total} />;
  if (pull?.status === "failed") return <Failed name={name} pull={pull} />;
  return (
    <span role="status">
      {installed_version === null && <Badge>Not installed</Badge>}
      {installed_version === version && <Badge tone="good">Installed</Badge>}
      {installed_version !== null && installed_version !== version && (
        <Badge tone="warn">{version} available</Badge>
      )}
    </span>
  );
}

type ProgressProps = { name: string; bytes: number; total: number };

function Progress({ name, bytes: done, total }: ProgressProps) {
  const rate = useRate(done);
  const left = rate > 0 && total > done ? `, ${span(Math.ceil((total - done) / rate))} left` : "";
  return (
    <span className="pulling">
      <progress
        className="bar"
        aria-label={`Pulling ${name}`}
        {...(total > 0 ? { max: total, value: done } : {})}
      />
      <small>
        {progressText({ done, total, rate })}
        {left}
      </small>
    </span>
  );
}

/** Bytes a second since the first that were seen here. */
export function useRate(done: number): number {
  const first = useRef<{ done: number; at: number } | null>(null);
  const [rate, setRate] = useState(0);
  useEffect(() => {
    const at = performance.now();
    if (first.current === null || done < first.current.done) first.current = { done, at };
    else if (at > first.current.at) setRate(((done - first.current.done) / (at - first.current.at)) * 1000);
  }, [done]);
  return rate;
}

type FailedProps = { name: string; pull: NonNullable<Package["pull"]> };

function Failed({ name, pull: { summary, message, next_try_at } }: FailedProps) {
  return (
    <div role="status" className="failed">
      <Badge tone="bad">Not installed</Badge> <span>{summary ?? message}</span>{" "}
      {next_try_at !== null && (
        <small>
          Next try <RelativeTime time={next_try_at} />.
        </small>
      )}
      <details>
        <summary>Details</summary>
        {summary !== null && <p>{message}</p>}
        <ul>
          <li>What was downloaded is kept.</li>
          <li>
            Behind a firewall, set <code>LOQUAT_MIRROR</code> to a mirror.
          </li>
          <li>
            Without a network, bring it on a disk: <code>loquat models export {name}</code> elsewhere, then{" "}
            <code>loquat models import</code> here.
          </li>
        </ul>
      </details>
    </div>
  );
}
