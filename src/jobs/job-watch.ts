/** Notices that the status of jobs has changed, whichever node changed it: for callers that wait, and for jobs that are cancelled. */
import type { JobRows } from "../db/queries/job-rows.ts";
import type { JobStatus } from "../job-statuses.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { oneAtATime } from "../one-at-a-time.ts";

const EVERY_MS = 500;
const IDS_AT_ONCE = 500;

export type JobWatch = AsyncDisposable & {
  /** Resolves once the status of a job is another, or it has no row, or the signal is aborted. */
  changed(id: string, status: JobStatus, signal: AbortSignal): Promise<void>;
  /** Looks at once: this process has changed one. Returns at once, never throws. */
  look(): void;
};

type Watched = { status: JobStatus; resolve: () => void };

export function openJobWatch(rows: Pick<JobRows, "statuses">): JobWatch {
  const watched = new Map<string, Set<Watched>>();
  let timer: Timer | null = null;
  let isAskedAgain = false;

  async function lookOnce(): Promise<void> {
    const ids = [...watched.keys()];
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const some = ids.slice(from, from + IDS_AT_ONCE);
      const statuses = await rows.statuses(some);
      for (const id of some)
        for (const each of [...(watched.get(id) ?? [])]) if (statuses.get(id) !== each.status) each.resolve();
    }
  }

  const looking = oneAtATime(
    async () => {
      do {
        isAskedAgain = false;
        await lookOnce();
      } while (isAskedAgain);
    },
    () => {}, // it is looked again
  );

  function look(): void {
    isAskedAgain = true;
    void looking.run();
  }

  function enter(id: string, each: Watched): () => void {
    const others = watched.get(id) ?? new Set();
    watched.set(id, others.add(each));
    timer ??= setInterval(look, EVERY_MS);
    return () => {
      others.delete(each);
      if (others.size === 0 && watched.get(id) === others) watched.delete(id);
      if (watched.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  }

  return {
    look,
    async changed(id, status, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const leave = enter(id, { status, resolve });
      const left = () => resolve();
      signal.addEventListener("abort", left, { once: true });
      if (signal.aborted) resolve();
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", left);
        leave();
      }
    },
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearInterval(timer);
      await looking.running();
    },
  };
}

type Ending = {
  watch: Pick<JobWatch, "look">;
  work: { wake(): void };
  /** Deletes contents that are not used any more. */
  clean: () => void;
  metrics: Pick<Metrics, "count">;
};

/** This node has ended a job: others learn of it, its event is sent, and what was stored for it is deleted. Returns at once. */
export function ended(
  { watch, work, clean, metrics }: Ending,
  status: "completed" | "failed" | "cancelled",
): void {
  metrics.count("loquat_jobs_ended_total", { status });
  watch.look();
  work.wake();
  clean();
}
