/** The port of an engine node: connections of API nodes, probes and metrics, and nothing else. */
import { openCallers } from "../../api/middleware/caller.ts";
import { envelope, faultHeaders, toFault } from "../../api/middleware/faults.ts";
import { pathOf } from "../../api/middleware/request-url.ts";
import { openMetricsPage } from "../../api/pages/metrics-page.ts";
import type { Clock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { openClosedSockets } from "../../engine/closed-sockets.ts";
import { isAuthorized, SOCKET_LIMITS, type SocketHandlers, upgraded } from "../../engine/remote/accept.ts";
import { ENGINES_PATH } from "../../engine/remote/messages.ts";
import { closing } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";
import { newId } from "../../ids.ts";
import { openRequestTurns } from "../../memory/event-loop-share.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { openAddress } from "../network.ts";
import type { EngineNode } from "./engine-node.ts";

type Deps = { config: Config; metrics: Metrics; clock: Clock; node: EngineNode; draining: AbortSignal };

type Server = Bun.Server<SocketHandlers>;

/** Throws a `ConfigError` where the port cannot be used. */
export function openEnginePort({ config, metrics, clock, node, draining }: Deps): Server {
  const { http, fleet } = config;
  const { port: metricsPort, token } = config.metrics;
  const closed = openClosedSockets();
  const page = openMetricsPage({ metrics, token, callerOf: openCallers(http.proxies) });
  const routes: Record<
    string,
    (request: Request, server: Server) => Response | undefined | Promise<Response>
  > = {
    "/healthz": () => Response.json({ status: "ok" }),
    "/readyz": () => readiness(node, draining),
    ...(metricsPort === null && { "/metrics": page }),
    [ENGINES_PATH](request, server) {
      if (!isAuthorized(request, fleet.secret!))
        throw new Refusal("invalid_api_key", "Send the value of LOQUAT_ENGINE_SECRET as a bearer token.");
      const handlers = node.accept();
      if (handlers === null) throw closing();
      if (upgraded(request, server, { handlers, closed })) return undefined;
      throw new Refusal("upgrade_required", "Connect to this address with a WebSocket.");
    },
  };
  const turns = openRequestTurns();
  const answer = async (request: Request, server: Server): Promise<Response | undefined> => {
    try {
      const path = pathOf(request.url);
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (request.method !== "GET" || !route) throw nothing(path);
      return await route(request, server);
    } catch (error) {
      const fault = toFault(error);
      const body = envelope(fault, newId("req", clock));
      return Response.json(body, { status: fault.status, headers: faultHeaders(fault) });
    }
  };
  return openAddress(http, "PORT", (address) =>
    Bun.serve<SocketHandlers>({
      ...address,
      reusePort: http.reusePort,
      fetch: async (request, server) => (await turns(request)) ?? answer(request, server),
      websocket: {
        ...SOCKET_LIMITS,
        open: (socket) => socket.data.open(socket),
        message: (socket, frame) => socket.data.message(socket, frame),
        close: (socket, code, reason) => socket.data.close(socket, code, reason),
      },
    }),
  );
}

const nothing = (path: string) =>
  new Refusal(
    "not_found",
    `There is nothing at ${path.slice(0, 200)}: this is an engine node. Send requests to an API node.`,
  );

function readiness({ catalogue }: EngineNode, draining: AbortSignal): Response {
  const hasModels = catalogue.entries.some(({ version }) => version !== null);
  const reasons = [...(draining.aborted ? ["draining"] : []), ...(hasModels ? [] : ["no_model_installed"])];
  const isReady = reasons.length === 0;
  return Response.json({ status: isReady ? "ready" : "not_ready", reasons }, { status: isReady ? 200 : 503 });
}
