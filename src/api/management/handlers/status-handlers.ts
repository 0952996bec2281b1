/** The server's status as an operator sees it: process, models, engines, counters and recent errors. */
import { version } from "../../../../package.json";
import type { MachineHour, MachineMinute } from "../../../cluster/machines.ts";
import type { MachineUse, Node } from "../../../cluster/node.ts";
import { countersOf, engineNodesOf, enginesOf, tasksOf } from "../../../cluster/totals.ts";
import { Refusal } from "../../../errors.ts";
import { requestRecord } from "../../requests/request-record.ts";
import type { statusRoutes } from "../schema/status-routes.ts";
import type { Handlers, Reads } from "./handler.ts";

const RECENT_ERRORS = 20;

type StatusDeps = Reads<
  | "accounts"
  | "audit"
  | "backup"
  | "clock"
  | "config"
  | "catalogue"
  | "cluster"
  | "metrics"
  | "machines"
  | "registry"
  | "sharedActivity"
  | "ledger"
  | "wyoming"
>;

export function statusHandlers(deps: StatusDeps) {
  const { audit, backup, clock, config, catalogue, cluster, metrics, registry, sharedActivity } = deps;
  return {
    ...wyomingHandlers(deps),
    "GET /api/operator/status": async () => {
      const nodes = cluster.nodes();
      return {
        object: "status" as const,
        version,
        runtime: `Bun ${Bun.version}`,
        uptime_seconds: Math.floor(process.uptime()),
        memory_bytes: process.memoryUsage.rss(),
        database: config.data.url === null ? "sqlite" : "postgres",
        limits: config.data.limitsUrl !== null ? "redis" : config.data.url === null ? "memory" : "postgres",
        models: catalogue.entries.map((entry) => ({ id: entry.id, version: entry.version?.version ?? null })),
        engines: enginesOf(nodes),
        counters: countersOf(nodes, Object.keys(metrics.counters())),
        errors: await recentErrors(deps),
        nodes: nodes.map((node) => nodeRecord(node, clock.now())),
        engine_nodes: engineNodesOf(nodes),
      };
    },
    "POST /api/operator/unload": async ({ body }) => ({
      object: "unload",
      unloaded: registry.unload(body.engine),
    }),
    "POST /api/operator/backup": async ({ signal }) => {
      if (backup === null)
        throw new Refusal("not_found", "The server is on PostgreSQL, which is backed up with its own tools.");
      const content = await backup(signal);
      await audit.note([{ type: "server.backed_up", organizationId: null, resourceId: config.node }]);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      return { name: `loquat-${day}.tar.gz`, type: "application/gzip", content };
    },
    "GET /api/operator/machines": async () => ({
      object: "machines",
      data: deps.machines.now().map(machineRecord),
    }),
    "GET /api/operator/activity": async () => ({
      object: "activity",
      data: (await sharedActivity.minutes()).map(({ p50Ms, p95Ms, ...minute }) => ({
        ...minute,
        p50_ms: p50Ms,
        p95_ms: p95Ms,
      })),
    }),
  } satisfies Partial<Handlers<typeof statusRoutes>>;
}

function wyomingHandlers({ audit, config, wyoming }: Reads<"audit" | "config" | "wyoming">) {
  const record = () => {
    const { port = null, keyId = null } = wyoming.current() ?? {};
    return { object: "wyoming" as const, port, key_id: keyId, is_fixed: wyoming.isFixed };
  };
  const set = async (wanted: { port: number; keyId: string } | null) => {
    if (wyoming.isFixed)
      throw new Refusal(
        "validation_error",
        "LOQUAT_WYOMING_PORT sets the port. Unset it to set the port here.",
      );
    await wyoming.set(wanted);
    await audit.note([{ type: "server.updated", organizationId: null, resourceId: config.node }]);
    return record();
  };
  return {
    "GET /api/operator/wyoming": async () => record(),
    "PUT /api/operator/wyoming": ({ body }) => set({ port: body.port, keyId: body.key_id }),
    "DELETE /api/operator/wyoming": () => set(null),
  } satisfies Partial<Handlers<typeof statusRoutes>>;
}

/** With the names of their organizations: null where it was deleted since. */
async function recentErrors({ accounts, ledger }: StatusDeps) {
  const errors = (await ledger.recentErrors(RECENT_ERRORS)).map(requestRecord);
  const ids = [...new Set(errors.map(({ organization_id }) => organization_id))];
  const found = await Promise.all(ids.map((id) => accounts.organization(id)));
  const names = new Map(found.flatMap((each) => (each ? [[each.id, each.name] as const] : [])));
  return errors.map((error) => ({ ...error, organization_name: names.get(error.organization_id) ?? null }));
}

function machineRecord({ node: { id, report }, minutes }: MachineHour) {
  const { machine, memoryBytes } = report;
  return {
    ...{ id, ...tasksOf(report) },
    now: machine && nowRecord(machine, memoryBytes),
    minutes: minutes.map(minuteRecord),
  };
}

const nowRecord = ({ cores, cpu, disk, gpus, ...use }: MachineUse, processMemoryBytes: number) => ({
  ...{ cores, cpu, process_cpu: use.processCpu },
  memory_used_bytes: use.memoryUsedBytes,
  memory_total_bytes: use.memoryTotalBytes,
  process_memory_bytes: processMemoryBytes,
  disk: disk && { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
  gpus:
    gpus?.map(({ memoryUsedBytes, memoryTotalBytes, ...gpu }) => ({
      ...{ ...gpu, memory_used_bytes: memoryUsedBytes, memory_total_bytes: memoryTotalBytes },
    })) ?? null,
});

const minuteRecord = ({ start, cpu, running, waiting, ...minute }: MachineMinute) => ({
  ...{ start, cpu, process_cpu: minute.processCpu },
  memory_used_bytes: minute.memoryUsedBytes,
  process_memory_bytes: minute.processMemoryBytes,
  disk_free_bytes: minute.diskFreeBytes,
  gpu_use: minute.gpuUse,
  gpu_memory_used_bytes: minute.gpuMemoryUsedBytes,
  ...{ running, waiting },
});

function nodeRecord(node: Node, nowMs: number) {
  const { id, address, version, startedMs, ageMs, skewMs, draining, report } = node;
  const { runtime, memoryBytes, threads, devices, packages, liveSessions } = report;
  return {
    ...{ id, address, version, runtime, draining, threads, devices },
    uptime_seconds: Math.max(0, Math.floor((nowMs - startedMs) / 1000)),
    age_ms: ageMs,
    skew_ms: skewMs,
    memory_bytes: memoryBytes,
    packages: packages.length,
    live_sessions: liveSessions,
    ...tasksOf(report),
  };
}
