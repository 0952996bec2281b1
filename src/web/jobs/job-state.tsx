/** How far a job is: its status, its progress, and its place while it waits. */
import { seconds } from "../format/numbers.ts";
import { Badge } from "../ui/page.tsx";
import { type Job, STATUS_NAMES } from "./job.ts";

const TONES = { in_progress: "info", completed: "good", failed: "bad" } as const;

export const JobStatus = ({ of: { status } }: { of: Job }) => (
  <Badge tone={status in TONES ? TONES[status as keyof typeof TONES] : "plain"}>{STATUS_NAMES[status]}</Badge>
);

/** Nothing where it has ended. */
export function JobProgress({ of: job }: { of: Job }) {
  const { status, position, done_seconds: done } = job;
  if (status === "queued")
    return position === 1 ? "Next of those that wait" : `Number ${position} of those that wait`;
  if (status !== "in_progress") return null;
  const { duration_seconds: all, characters } = job.input;
  if (characters !== null)
    return (
      <>
        <progress className="bar" aria-label={`Progress of ${job.id}`} max={100} value={job.progress} />
        <small>{job.progress} % spoken</small>
      </>
    );
  if (all === null) return "Reading the recording …";
  return (
    <>
      <progress className="bar" aria-label={`Progress of ${job.id}`} max={all} value={done} />
      <small>
        {seconds(done)} of {seconds(all)}
      </small>
    </>
  );
}
