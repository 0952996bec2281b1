/**
 * GET /healthz: the process answers. GET /readyz: it can do its work. Neither asks for a key; what is missing, and what
 * /metrics counted, is told to this machine and to private networks only.
 */
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { Refusal } from "../../errors.ts";
import type { Metrics } from "../../metrics.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import type { CallerOf } from "../middleware/client-address.ts";
import { isLocal } from "../middleware/private-network.ts";

export type HealthParts = {
  catalogue: Catalogue;
  databaseAnswers: () => Promise<boolean>;
  closing: () => boolean;
  callerOf: CallerOf;
  metrics: Metrics;
  clock: Clock;
};

const FRESH_MS = 1000;

const PRIVATE = "Only this machine and private networks are told; to others it does not exist.";

export function healthRoutes({ catalogue, databaseAnswers, closing, callerOf, metrics, clock }: HealthParts) {
  const database = remembered(databaseAnswers, clock);
  return new Elysia()
    .get("/healthz", () => ({ status: "ok" }), {
      detail: { summary: "Is it alive?", tags: ["Operation"], security: [] },
    })
    .get(
      "/metrics",
      ({ request, server }) => {
        if (!isLocal(request, server, callerOf))
          throw new Refusal("not_found", "There is nothing at /metrics.");
        return metrics.text();
      },
      {
        detail: {
          summary: "Counters, in the Prometheus text format",
          description: PRIVATE,
          tags: ["Operation"],
          security: [],
        },
      },
    )
    .get(
      "/readyz",
      async ({ request, server, set }) => {
        const models = Object.fromEntries(
          catalogue.entries.map((entry) => [entry.id, entry.version !== null]),
        );
        const known = { database: await database(), closing: closing(), models };
        const ready = known.database && !known.closing && Object.values(models).some(Boolean);
        set.status = ready ? 200 : 503;
        const status = ready ? "ready" : "not_ready";
        return isLocal(request, server, callerOf) ? { status, ...known } : { status };
      },
      {
        detail: {
          summary: "Can it work?",
          description:
            "200 or 503, with its status. This machine and private networks are also told what is missing.",
          tags: ["Operation"],
          security: [],
        },
      },
    );
}

/** However many ask, it is looked at once a second. */
function remembered(look: () => Promise<boolean>, clock: Clock): () => Promise<boolean> {
  let last: { at: number; answer: Promise<boolean> } | null = null;
  return () => {
    const now = clock.now();
    if (last === null || Math.abs(now - last.at) >= FRESH_MS) last = { at: now, answer: look() };
    return last.answer;
  };
}
