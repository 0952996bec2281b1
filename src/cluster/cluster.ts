/**
 * The nodes that share a database. Each writes every two seconds that it runs, and reads which others do; after ten seconds
 * without that it is forgotten.
 *
 *   join ──> seen, every two seconds ──draining──> seen, and takes no requests ──> leaves
 *
 * An embedded database has one node, which is not written.
 */
import { version } from "../../package.json";
import type { Clock } from "../clock.ts";
import type { NodeRows } from "../db/queries/node-rows.ts";
import type { Log } from "../log/log.ts";
import { isFar, type Node, type NodeReport, readReport } from "./node.ts";

const BEAT_MS = 2000;

type Joining = { address: string; draining: AbortSignal };

/** Closing it removes this node from the list of others. */
export type Cluster = AsyncDisposable & {
  /** This node, as it is now. */
  self(): Node;
  /** All nodes, by id: this one as it is now, others as they were seen last. */
  nodes(): Node[];
  /** Once the server listens. Resolves when others can see it, or when the database has failed to answer. */
  join(joining: Joining): Promise<void>;
};

/** By how much the clock of this node is ahead of the database's, as last measured. */
export type Skew = { ms: number };

/** `rows` null: this is the only node. `skew` is kept up to date. */
type ClusterDeps = {
  id: string;
  rows: NodeRows | null;
  report: () => NodeReport;
  skew: Skew;
  /** Called with the other nodes whenever they were read. */
  seen?: (others: readonly Node[]) => void;
  clock: Clock;
  log: Log;
};

export function openCluster({ id, rows, report, skew, seen = () => {}, clock, log }: ClusterDeps): Cluster {
  const startedMs = Math.round(performance.timeOrigin);
  let joined: Joining | null = null;
  let others: Node[] = [];
  let beating: Promise<void> | null = null;
  let timer: Timer | null = null;
  let isTaken = false;
  let isApart = false;

  const self = (): Node => ({
    ...{ id, version, startedMs, ageMs: 0, skewMs: skew.ms, report: report() },
    address: joined?.address ?? "",
    draining: joined?.draining.aborted ?? false,
  });

  async function write(store: NodeRows): Promise<void> {
    const { ageMs: _age, skewMs: _skew, ...row } = self();
    const { isKept, skewMs } = await store.beat({ ...row, nowMs: clock.now() });
    if (!isKept && !isTaken && !row.draining) log.warn("node_name_taken", { name: id }); // after a handover it drains
    isTaken = !isKept;
    skew.ms = skewMs;
    if (isFar(skewMs) && !isApart) log.warn("clock_apart", { aheadSeconds: Math.round(skewMs / 1000) });
    isApart = isFar(skewMs);
    const all = await store.seen();
    others = all
      .filter((each) => each.id !== id)
      .map((each) => ({ ...each, report: readReport(each.report) }));
    seen(others);
  }

  /** One at a time. A database that does not answer is reported elsewhere. */
  function beat(): Promise<void> {
    if (rows === null) return Promise.resolve();
    beating ??= write(rows)
      .catch(() => {})
      .finally(() => {
        beating = null;
      });
    return beating;
  }

  return {
    self,
    nodes: () => [self(), ...others].sort((one, other) => (one.id < other.id ? -1 : 1)),
    async join(joining) {
      joined = joining;
      joining.draining.addEventListener("abort", () => void beat());
      timer = setInterval(beat, BEAT_MS);
      timer.unref();
      await beat();
    },
    async [Symbol.asyncDispose]() {
      if (timer) clearInterval(timer);
      await beating;
      if (joined) await rows?.leave({ id, startedMs }).catch(() => {}); // it is forgotten in any case
    },
  };
}
