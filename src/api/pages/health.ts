/**
 * Probes and metrics: GET /healthz (liveness), GET /readyz (readiness) and GET /metrics (Prometheus). None requires a
 * key; the details of readiness and the metrics are returned to this machine and to private networks only.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Clock } from "../../clock.ts";
import { Refusal } from "../../errors.ts";
import type { Metrics } from "../../metrics.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import type { CallerOf } from "../middleware/client-address.ts";
import { isLocal } from "../middleware/private-network.ts";
import { json, operation } from "../openapi/operation.ts";

export type HealthDeps = {
  catalogue: Catalogue;
  databaseAnswers: () => Promise<boolean>;
  closing: () => boolean;
  callerOf: CallerOf;
  metrics: Metrics;
  clock: Clock;
};

/** How long a check of the database is reused. */
const CACHE_MS = 1000;

const Readiness = Type.Object({
  status: Type.Enum(["ready", "not_ready"]),
  database: Type.Optional(Type.Boolean()),
  closing: Type.Optional(Type.Boolean()),
  models: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
});
const HEALTHY = {
  description: "The process answers.",
  content: json(Type.Object({ status: Type.Literal("ok") })),
};
const PROBE = { tag: "Operation", access: "none", refusals: ["not_found"] } as const;

const PRIVATE = "Available to this machine and to private networks; 404 for all others.";

export function healthRoutes({ catalogue, databaseAnswers, closing, callerOf, metrics, clock }: HealthDeps) {
  const database = cached(databaseAnswers, clock);
  return new Elysia()
    .get("/healthz", () => ({ status: "ok" }), {
      detail: operation({ ...PROBE, id: "getHealth", summary: "Liveness probe", ok: HEALTHY }),
    })
    .get(
      "/metrics",
      ({ request, server }) => {
        if (!isLocal(request, server, callerOf))
          throw new Refusal("not_found", "There is nothing at /metrics.");
        return metrics.text();
      },
      {
        detail: operation({
          ...PROBE,
          id: "getMetrics",
          summary: "Metrics in the Prometheus text format",
          description: PRIVATE,
          ok: { description: "The metrics.", content: { "text/plain": { schema: Type.String() } } },
        }),
      },
    )
    .get(
      "/readyz",
      async ({ request, server, set }) => {
        const models = Object.fromEntries(
          catalogue.entries.map((entry) => [entry.id, entry.version !== null]),
        );
        const state = { database: await database(), closing: closing(), models };
        const ready = state.database && !state.closing && Object.values(models).some(Boolean);
        set.status = ready ? 200 : 503;
        const status = ready ? "ready" : "not_ready";
        return isLocal(request, server, callerOf) ? { status, ...state } : { status };
      },
      {
        detail: operation({
          ...PROBE,
          id: "getReadiness",
          summary: "Readiness probe",
          description: "This machine and private networks also get the state of each dependency.",
          ok: { description: "The server takes requests.", content: json(Readiness) },
          also: { 503: { description: "The server does not take requests.", content: json(Readiness) } },
        }),
      },
    );
}

/** Runs the check at most once per `CACHE_MS`, for any number of requests. */
function cached(check: () => Promise<boolean>, clock: Clock): () => Promise<boolean> {
  let last: { at: number; result: Promise<boolean> } | null = null;
  return () => {
    const now = clock.now();
    if (last === null || Math.abs(now - last.at) >= CACHE_MS) last = { at: now, result: check() };
    return last.result;
  };
}
