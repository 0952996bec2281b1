/** What is observed of a server: its engines, its memory and its event loop for the metrics, and the room on its disk for work. */

import { version } from "../../../package.json";
import type { Clock } from "../../clock.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { WorkerEnded } from "../../engine/back-off.ts";
import type { EngineRegistry, TaskEnded } from "../../engine/registry.ts";
import { noSpaceLeft } from "../../errors.ts";
import type { Log } from "../../log/log.ts";
import type { Budget } from "../../memory/budget.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { freeBytes } from "../../models/store/disk-space.ts";
import type { UpstreamFailed } from "../../upstreams/upstreams.ts";
import type { Activity } from "../../usage/activity.ts";
import { descriptorLimit, openDescriptors } from "./descriptors.ts";

const LOOK_MS = 250; // often enough to meet most delays that a caller notices

type Observed = { registry: Pick<EngineRegistry, "loads">; activity: Activity; budget: Budget };

export function observeServer(metrics: Metrics, { registry, activity, budget }: Observed): Disposable {
  metrics.observe("loquat_engine_tasks", () => tasksOf(registry.loads()));
  metrics.observe("loquat_live_sessions", activity.openSessions);
  metrics.observe("loquat_audio_memory_bytes", budget.heldBytes);
  metrics.observe("process_open_fds", openDescriptors);
  metrics.observe("process_max_fds", descriptorLimit);
  metrics.observe("process_resident_memory_bytes", () => process.memoryUsage.rss());
  metrics.observe("process_start_time_seconds", () => performance.timeOrigin / 1000);
  metrics.observe("process_cpu_seconds_total", () => {
    const { user, system } = process.cpuUsage(); // microseconds
    return (user + system) / 1e6;
  });
  const labels = { version, runtime: `Bun ${Bun.version}` };
  metrics.observe("loquat_build_info", () => [{ labels, value: 1 }]);
  return watchEventLoop((delayMs) => metrics.record("loquat_event_loop_delay_seconds", delayMs / 1000));
}

/** Which node this is, and how many there are. */
export function observeNodes(metrics: Metrics, { self, nodes }: Pick<Cluster, "self" | "nodes">): void {
  metrics.observe("loquat_node_info", () => [{ labels: { node: self().id }, value: 1 }]);
  metrics.observe("loquat_nodes", () => nodes().length);
}

/** An engine that is being replaced is counted with its replacement. */
function tasksOf(loads: ReturnType<EngineRegistry["loads"]>) {
  return [...Map.groupBy(loads, ({ name }) => name)].flatMap(([engine, same]) =>
    (["running", "waiting"] as const).map((state) => ({
      labels: { engine, state },
      value: same.reduce((sum, load) => sum + load[state], 0),
    })),
  );
}

function watchEventLoop(late: (delayMs: number) => void): Disposable {
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    late(Math.max(0, now - lastMs - LOOK_MS));
    lastMs = now;
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Counts the threads and processes that ended, and logs each. */
export const workersEnded =
  (metrics: Metrics, log: Log): WorkerEnded =>
  ({ worker, kind, pausedMs }) => {
    metrics.count("loquat_workers_ended_total", { worker, kind });
    log.warn("worker_ended", { worker, kind, pausedMs });
  };

const QUIET_MS = 60_000;

/** Counts what failed elsewhere, and logs each kind of failure of a server at most once a minute. */
function upstreamsFailed(metrics: Metrics, log: Log): UpstreamFailed {
  const lastMs = new Map<string, number>();
  return (upstream, { kind, server, message }) => {
    metrics.count("loquat_upstream_failures_total", { upstream, kind });
    const key = `${upstream} ${kind} ${server}`;
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    lastMs.set(key, nowMs);
    const fields = { upstream, server, kind, message };
    if (kind === "credential") log.error("upstream_credential_refused", fields);
    else log.warn("upstream_request_failed", fields);
  };
}

/** Measures tasks. */
export function engineEvents(metrics: Metrics, workerEnded: WorkerEnded, log: Log) {
  return {
    workerEnded,
    upstreamFailed: upstreamsFailed(metrics, log),
    packageDamaged: (name: string, fault: string) => log.warn("package_damaged", { package: name, fault }),
    taskEnded(engine: string, { urgency, waitedMs, ranMs }: Parameters<TaskEnded>[1]): void {
      metrics.record("loquat_engine_wait_seconds", waitedMs / 1000, { engine, urgency });
      metrics.record("loquat_engine_task_duration_seconds", ranMs / 1000, { engine });
    },
  };
}

/**
 * Whether the disk of the data folder has room for work: below a minimum, requests are refused before they begin, and nodes are
 * not ready. What runs may still be charged and logged in what is left. Each change is logged when something asks.
 *
 * `hasSpace` of a folder that cannot be asked is true: whatever fails there tells why.
 */
export type DataDisk = { hasSpace(): boolean; requireSpace(): void };

/** A long answer beside the log of the database and its copy. */
const SPACE_LEAST_BYTES = 16 * 1024 * 1024;
/** How long an answer of the disk is reused. */
const CACHE_MS = 1000;

export function openDataDisk(
  folder: string,
  deps: { clock: Clock; log: Log },
  freeBytesOf = freeBytes,
): DataDisk {
  const { clock, log } = deps;
  let last = { at: Number.NEGATIVE_INFINITY, hasSpace: true };
  const hasSpace = () => {
    const now = clock.now();
    if (Math.abs(now - last.at) < CACHE_MS) return last.hasSpace;
    const free = freeBytesOf(folder);
    const had = last.hasSpace;
    last = { at: now, hasSpace: (free ?? SPACE_LEAST_BYTES) >= SPACE_LEAST_BYTES };
    if (had && !last.hasSpace) log.error("disk_full", { freeBytes: free });
    if (!had && last.hasSpace) log.info("disk_available");
    return last.hasSpace;
  };
  return {
    hasSpace,
    requireSpace() {
      if (!hasSpace()) throw noSpaceLeft();
    },
  };
}
