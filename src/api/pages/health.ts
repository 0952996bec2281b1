/**
 * Probes: GET /healthz (liveness) and GET /readyz (readiness). None requires a key; the details of readiness are returned
 * to this machine and to private networks only.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Clock } from "../../clock.ts";
import { type Catalogue, enginesOf } from "../../models/catalogue.ts";
import type { CallerOf } from "../middleware/caller.ts";
import { isLocal } from "../middleware/private-network.ts";
import { json, operation } from "../openapi/operation.ts";

export type HealthDeps = {
  catalogue: Catalogue;
  databaseAnswers: () => Promise<boolean>;
  /** Whether the disk of the data folder has room for work. */
  hasSpace: () => boolean;
  /** Whether connections and files can be opened for work. */
  hasDescriptors: () => boolean;
  /** Packages that a starting node waits for; null: not known yet. */
  awaitedPackages: () => string[] | null;
  /** Whether an engine of the catalogue runs on this node. */
  runsHere: (engine: string) => boolean;
  draining: AbortSignal;
  callerOf: CallerOf;
  clock: Clock;
};

/** How long a check of the database is reused. */
const CACHE_MS = 1000;

const Readiness = Type.Object({
  status: Type.Enum(["ready", "not_ready"]),
  reasons: Type.Array(
    Type.Enum([
      "draining",
      "database_unavailable",
      "disk_full",
      "descriptors_exhausted",
      "packages_pending",
      "no_model_installed",
    ]),
  ),
  database: Type.Optional(Type.Boolean()),
  disk: Type.Optional(Type.Boolean()),
  descriptors: Type.Optional(Type.Boolean()),
  closing: Type.Optional(Type.Boolean()),
  awaited_packages: Type.Optional(Type.Array(Type.String())),
  models: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
});
const HEALTHY = {
  description: "The process answers.",
  content: json(Type.Object({ status: Type.Literal("ok") })),
};
const PROBE = { tag: "Operation", access: "none", refusals: ["not_found"] } as const;

export function healthRoutes(deps: HealthDeps) {
  const {
    catalogue,
    databaseAnswers,
    hasSpace,
    hasDescriptors,
    awaitedPackages,
    runsHere,
    draining,
    callerOf,
    clock,
  } = deps;
  const database = cached(databaseAnswers, clock);
  return new Elysia()
    .get("/healthz", () => ({ status: "ok" }), {
      detail: operation({ ...PROBE, id: "getHealth", summary: "Liveness probe", ok: HEALTHY }),
    })
    .get(
      "/readyz",
      async ({ request, server, set }) => {
        const models = Object.fromEntries(
          catalogue.entries.map(({ id, version }) => [id, enginesOf(version).some(runsHere)]),
        );
        const awaited = awaitedPackages();
        const state = {
          database: await database(),
          disk: hasSpace(),
          descriptors: hasDescriptors(),
          closing: draining.aborted,
          models,
        };
        const reasons = reasonsOf({ ...state, isWaiting: awaited === null || awaited.length > 0 });
        set.status = reasons.length === 0 ? 200 : 503;
        const answer = { status: reasons.length === 0 ? "ready" : "not_ready", reasons };
        return isLocal(request, server, callerOf)
          ? { ...answer, ...state, awaited_packages: awaited ?? [] }
          : answer;
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

type State = {
  database: boolean;
  disk: boolean;
  descriptors: boolean;
  closing: boolean;
  isWaiting: boolean;
  models: Record<string, boolean>;
};

/** Why the server takes no requests; empty: it does. */
function reasonsOf({ database, disk, descriptors, closing, isWaiting, models }: State): string[] {
  return [
    ...(closing ? ["draining"] : []),
    ...(database ? [] : ["database_unavailable"]),
    ...(disk ? [] : ["disk_full"]),
    ...(descriptors ? [] : ["descriptors_exhausted"]),
    ...(isWaiting ? ["packages_pending"] : []),
    ...(Object.values(models).some(Boolean) ? [] : ["no_model_installed"]),
  ];
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
