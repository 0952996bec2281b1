/** How far a job is: its status, its progress, and its place while it waits. */
import { seconds } from "../format/numbers.ts";
import { jobsTexts } from "../language/en/jobs.ts";
import { Badge } from "../ui/page.tsx";
import type { Job } from "./job.ts";

const TONES = { in_progress: "info", completed: "good", failed: "bad" } as const;

export const JobStatus = ({ of: { status } }: { of: Job }) => (
  <Badge tone={status in TONES ? TONES[status as keyof typeof TONES] : "plain"}>{jobsTexts()(status)}</Badge>
);

/** Nothing where it has ended. */
export function JobProgress({ of: job }: { of: Job }) {
  const t = jobsTexts();
  const { status, position, done_seconds: done } = job;
  if (status === "queued") return position === 1 ? t("isNext") : t("place", { place: position ?? 0 });
  if (status !== "in_progress") return null;
  const { duration_seconds: all, characters } = job.input;
  if (characters !== null)
    return (
      <>
        <progress
          className="bar"
          aria-label={t("progressOf", { id: job.id })}
          max={100}
          value={job.progress}
        />
        <small>{t("percentSpoken", { percent: job.progress })}</small>
      </>
    );
  if (all === null) return t("reading");
  return (
    <>
      <progress className="bar" aria-label={t("progressOf", { id: job.id })} max={all} value={done} />
      <small>{t("doneOf", { done: seconds(done), all: seconds(all) })}</small>
    </>
  );
}
