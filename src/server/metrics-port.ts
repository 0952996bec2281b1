/** The port of the metrics, on the host of the server and with its certificate: GET /metrics and nothing else. */
import { openCallers } from "../api/middleware/caller.ts";
import { envelope, toFault } from "../api/middleware/faults.ts";
import { pathOf } from "../api/middleware/request-url.ts";
import { openMetricsPage } from "../api/pages/metrics-page.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { openRequestTurns } from "../memory/event-loop-share.ts";
import { leavePort, whenAnswered } from "./lifecycle/drain.ts";
import { openAddress } from "./network.ts";
import type { Services } from "./services.ts";

/** What was asked is answered before it is closed. */
type MetricsPort = AsyncDisposable & {
  url: string;
  /** Listens no longer. */
  leave(): void;
};

type Deps = Pick<Services, "config" | "metrics" | "clock">;

/** Throws a `ConfigError` where the port cannot be used. */
export function openMetricsPort({ config, metrics, clock }: Deps, port: number): MetricsPort {
  const { proxies, reusePort } = config.http;
  const page = openMetricsPage({ metrics, token: config.metrics.token, callerOf: openCallers(proxies) });
  const turns = openRequestTurns();
  const answer = async (request: Request, self: Bun.Server<undefined>): Promise<Response> => {
    try {
      if (request.method !== "GET" || pathOf(request.url) !== "/metrics")
        throw new Refusal("not_found", "There is nothing but GET /metrics on this port.");
      return await page(request, self);
    } catch (error) {
      const fault = toFault(error);
      return Response.json(envelope(fault, newId("req", clock)), { status: fault.status });
    }
  };
  const server = openAddress({ ...config.http, port }, "LOQUAT_METRICS_PORT", (address) =>
    Bun.serve({
      ...address,
      reusePort,
      fetch: async (request, self) => (await turns(request)) ?? answer(request, self),
    }),
  );
  return {
    url: new URL("/metrics", server.url).href,
    leave: () => leavePort(server),
    async [Symbol.asyncDispose]() {
      leavePort(server);
      await whenAnswered(server);
      await server.stop(true);
    },
  };
}
