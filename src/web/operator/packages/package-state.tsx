/** How far the download of a package is, or why it failed and what can be done about it. */

import { useEffect, useRef, useState } from "react";
import { span } from "../../format/times.ts";
import { controlsTexts } from "../../language/en/controls.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { Badge } from "../../ui/page.tsx";
import { code } from "../../ui/rich.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import type { Package } from "./package.ts";
import { progressText } from "./total.ts";

export function PackageState({ item }: { item: Package }) {
  const t = packagesTexts();
  const { name, pull, installed_version, version } = item;
  if (pull?.status === "running") return <Progress name={name} bytes={pull.bytes} total={pull.total} />;
  if (pull?.status === "failed") return <Failed name={name} pull={pull} />;
  return (
    <span role="status">
      {installed_version === null && <Badge>{t("notInstalled")}</Badge>}
      {installed_version === version && <Badge tone="good">{t("installed")}</Badge>}
      {installed_version !== null && installed_version !== version && (
        <Badge tone="warn">{t("available", { version })}</Badge>
      )}
    </span>
  );
}

type ProgressProps = { name: string; bytes: number; total: number };

function Progress({ name, bytes: done, total }: ProgressProps) {
  const t = packagesTexts();
  const rate = useRate(done);
  const progress = progressText({ done, total, rate });
  return (
    <span className="pulling">
      <progress
        className="bar"
        aria-label={t("pulling", { name })}
        {...(total > 0 ? { max: total, value: done } : {})}
      />
      <small>
        {rate > 0 && total > done
          ? t("left", { progress, time: span(Math.ceil((total - done) / rate)) })
          : progress}
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
  const t = packagesTexts();
  return (
    <div role="status" className="failed">
      <Badge tone="bad">{t("notInstalled")}</Badge> <span>{summary ?? message}</span>{" "}
      {next_try_at !== null && (
        <small>{t.rich("nextTry", { time: () => <RelativeTime time={next_try_at} /> })}</small>
      )}
      <details>
        <summary>{controlsTexts()("details")}</summary>
        {summary !== null && <p>{message}</p>}
        <ul>
          <li>{t("isKept")}</li>
          <li>{t.rich("mirror", { code })}</li>
          <li>{t.rich("fromDisk", { name, code })}</li>
        </ul>
      </details>
    </div>
  );
}
