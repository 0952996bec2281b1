/** The server's status as an operator sees it: process, models, engines, counters and recent errors. */
import { version } from "../../../../package.json";
import type { EngineRegistry } from "../../../engine/registry.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { operatorRoutes } from "../schema/operator-routes.ts";
import type { Handlers, ManagementDeps } from "./handler.ts";
import { requestRecord } from "./usage-handlers.ts";

const RECENT_ERRORS = 20;

export function statusHandlers({ config, catalogue, registry, metrics, activity, ledger }: ManagementDeps) {
  return {
    "GET /api/operator/status": async () => ({
      object: "status",
      version,
      runtime: `Bun ${Bun.version}`,
      uptime_seconds: Math.floor(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
      database: config.data.url === null ? "sqlite" : "postgres",
      limits: config.data.limitsUrl === null ? "memory" : "redis",
      models: catalogue.entries.map((entry) => ({ id: entry.id, version: entry.version?.version ?? null })),
      engines: enginesOf(catalogue, registry),
      counters: metrics.counters(),
      errors: (await ledger.recentErrors(RECENT_ERRORS)).map(requestRecord),
    }),
    "GET /api/operator/activity": async () => ({
      object: "activity",
      data: activity.minutes().map(({ p50Ms, p95Ms, ...minute }) => ({
        ...minute,
        p50_ms: p50Ms,
        p95_ms: p95Ms,
      })),
    }),
  } satisfies Partial<Handlers<typeof operatorRoutes>>;
}

/** Every engine that can run here and every one that does. An engine being replaced is counted with its successor. */
function enginesOf(catalogue: Catalogue, registry: EngineRegistry) {
  const engines = new Map(
    runnableIn(catalogue).map((name) => [name, { name, running: 0, waiting: 0, loaded: false }]),
  );
  for (const { name, running, waiting } of registry.loads()) {
    const sum = engines.get(name) ?? { name, running: 0, waiting: 0, loaded: true };
    engines.set(name, {
      name,
      running: sum.running + running,
      waiting: sum.waiting + waiting,
      loaded: true,
    });
  }
  return [...engines.values()];
}

const runnableIn = ({ entries }: Catalogue): string[] =>
  entries.flatMap(({ version }) => {
    if (version === null) return [];
    return (version.type === "tts" ? version.voices : version.hearing.engines).map(({ engine }) => engine);
  });
