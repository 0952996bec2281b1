/**
 * GET /metrics (Prometheus): for those who send the token, or without one for this machine and private networks. The same
 * on the server's port and on a port of its own.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import { matchesSecret, type Secret } from "../../config/config.ts";
import { Refusal } from "../../errors.ts";
import { METRICS_TYPE, type Metrics } from "../../metrics/metrics.ts";
import type { CallerOf } from "../middleware/caller.ts";
import { isLocal } from "../middleware/private-network.ts";
import { operation } from "../openapi/operation.ts";

export type MetricsDeps = { metrics: Metrics; token: Secret | null; callerOf: CallerOf };

type Server = Parameters<typeof isLocal>[1];

/** Throws a refusal where the caller may not read them. */
export function openMetricsPage({ metrics, token, callerOf }: MetricsDeps) {
  const mayRead = (request: Request, server: Server): void => {
    if (token === null && !isLocal(request, server, callerOf))
      throw new Refusal("not_found", "There is nothing at /metrics.");
    if (
      token !== null &&
      !matchesSecret(request.headers.get("authorization") ?? "", () => `Bearer ${token()}`)
    )
      throw new Refusal(
        "invalid_api_key",
        "Send the value of LOQUAT_METRICS_TOKEN as a header: Authorization: Bearer <TOKEN>.",
      );
  };
  return async (request: Request, server: Server): Promise<Response> => {
    mayRead(request, server);
    return new Response(await metrics.text(), { headers: { "content-type": METRICS_TYPE } });
  };
}

export function metricsRoute(deps: MetricsDeps) {
  const page = openMetricsPage(deps);
  return new Elysia().get("/metrics", ({ request, server }) => page(request, server), {
    detail: operation({
      id: "getMetrics",
      tag: "Operation",
      access: "none",
      summary: "Metrics in the Prometheus text format",
      description:
        "Available to this machine and to private networks, 404 for all others. With `LOQUAT_METRICS_TOKEN` set, available " +
        "to all who send it as a bearer token. With `LOQUAT_METRICS_PORT` set, available on that port only.",
      ok: { description: "The metrics.", content: { "text/plain": { schema: Type.String() } } },
      refusals: ["invalid_api_key", "not_found"],
    }),
  });
}
