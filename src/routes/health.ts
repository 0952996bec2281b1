/** GET /healthz: the process answers. GET /readyz: it can do its work, and if not, what is missing. Neither asks for a key. */
import { Elysia } from "elysia";
import type { Catalogue } from "../catalog/catalogue.ts";
import type { Metrics } from "../metrics.ts";

export type HealthParts = {
  catalogue: Catalogue;
  databaseAnswers: () => Promise<boolean>;
  closing: () => boolean;
  metrics: Metrics;
};

export function healthRoutes({ catalogue, databaseAnswers, closing, metrics }: HealthParts) {
  return new Elysia()
    .get("/healthz", () => ({ status: "ok" }), {
      detail: { summary: "Is it alive?", tags: ["Operation"], security: [] },
    })
    .get("/metrics", () => metrics.text(), {
      detail: { summary: "Counters, in the Prometheus text format", tags: ["Operation"], security: [] },
    })
    .get(
      "/readyz",
      async ({ set }) => {
        const database = await databaseAnswers();
        const models = Object.fromEntries(
          catalogue.entries.map((entry) => [entry.id, entry.version !== null]),
        );
        const ready = database && !closing() && Object.values(models).some(Boolean);
        set.status = ready ? 200 : 503;
        return { status: ready ? "ready" : "not_ready", database, closing: closing(), models };
      },
      { detail: { summary: "Can it work?", tags: ["Operation"], security: [] } },
    );
}
