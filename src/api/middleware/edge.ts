/**
 * What every response has in common: the request id, CORS, and the error envelope. Any error thrown by a route becomes
 * a fault; the response to an unexpected one has no details of it.
 */
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { invalidInput, Refusal } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Log } from "../../log/log.ts";
import { openRequestTurns } from "../../memory/event-loop-share.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { type Tracing, traceFields } from "../../tracing/tracing.ts";
import { type BodyTimeouts, isUnreadable, openDiscard, type Pace } from "./body/body.ts";
import { countRefusal, envelope, type Fault, faultHeaders, toFault } from "./faults.ts";
import { allowedMethods, type KnownRoute, likelyPath } from "./known-routes.ts";
import { hostOf, makeRoutable } from "./request-url.ts";
import { isUnder, openFinish } from "./response-headers.ts";

type EdgeDeps = {
  node: string;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  timeouts: BodyTimeouts;
  pace: Pace;
  /** Every route of the app. They are added after this plug-in is. */
  routes: readonly KnownRoute[];
  /** The server is about to close: clients open other connections. */
  draining: AbortSignal;
  tracing: Tracing | null;
  /** The path below which a proxy may leave the addresses. */
  base: string;
  /** An unknown address in a browser. */
  notFoundPage: (message: string) => Response;
  dialects: RequestDialects;
  /** Handles a request that has another address now. */
  again: (request: Request) => unknown;
};

/** What the dialects of a server know of a request. */
export type RequestDialects = {
  /** Gives a request of a dialect the address of its route. Returns whether it has another one now. */
  route(request: Request): boolean;
  /** How its dialect tells of errors; null: it is of none. */
  errorBody(request: Request): ((fault: Fault, requestId: string) => object) | null;
};

export function edge(deps: EdgeDeps) {
  const { node, clock, log, metrics, timeouts, pace, routes, draining, tracing, notFoundPage, base } = deps;
  const { dialects } = deps;
  const isOpen = (request: Request) => isUnder("/v1", request) || dialects.errorBody(request) !== null;
  const discard = openDiscard(timeouts, pace);
  const durations = openDurations(metrics);
  const finish = openFinish(node, isOpen);
  const turns = openRequestTurns();
  return new Elysia({ name: "edge" })
    .wrap((handle, request) => {
      makeRoutable(request, base);
      if (dialects.route(request)) return () => deps.again(request);
      const [answer, turn] = [handle as (request: Request) => unknown, turns(request)];
      return turn === null ? answer : () => turn.then((left) => left ?? answer(request));
    })
    .onRequest(({ request, set }) => {
      durations.begin(request);
      set.headers["x-request-id"] = newId("req", clock);
      if (draining.aborted || isUnreadable(request)) set.headers.connection = "close";
      if (hasSeveralHosts(request)) throw severalHosts();
      if (hostOf(request.url) === null && !HOSTLESS.has(request.url)) throw noHost();
      let answer: Response | undefined; // assigned: the framework awaits a function that returns a call
      if (request.method === "OPTIONS" && isOpen(request)) {
        durations.end(request, "", 204);
        answer = preflight(request, routes);
        finish(answer, request, set);
      }
      return answer;
    })
    .onError(async ({ code, error, request, route, set }) => {
      const path = pathOf(request);
      const allow = code === "NOT_FOUND" ? allowedMethods(routes, path) : null;
      if (allow !== null && request.method === "OPTIONS")
        return finish(new Response(null, { status: 204, headers: { allow } }), request, set);
      const fault = toFault(
        code === "NOT_FOUND" ? unmatched(request, allow, routes) : code === "PARSE" ? unreadable() : error,
      );
      const id = set.headers["x-request-id"] as string;
      const fields = { id, status: fault.status, code: fault.code, ...traceFields(tracing?.of(request)) };
      if (request.signal.aborted) log.debug("client_left", { id, cause: fault.cause ?? null });
      else if (fault.status >= 500) log.error("request_failed", { ...fields, cause: fault.cause ?? null });
      else log.debug("request_rejected", fields);
      if (!request.signal.aborted) countRefusal(metrics, fault.code);
      durations.end(request, route, request.signal.aborted ? 499 : fault.status);
      const headers: Record<string, string> = {
        ...faultHeaders(fault),
        ...(allow === null ? {} : { allow }),
      };
      if (!(await discard(request)) || draining.aborted) headers.connection = "close";
      const isPage = fault.status === 404 && !isOpen(request) && isBrowsed(request);
      const bodyOf = dialects.errorBody(request) ?? envelope;
      const { status, message } = fault;
      const response = isPage ? notFoundPage(message) : Response.json(bodyOf(fault, id), { status });
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return finish(response, request, set);
    })
    .onAfterHandle(({ request, route, set, responseValue }) => {
      if (responseValue === undefined) return; // the request became a socket
      if (draining.aborted) set.headers.connection = "close"; // it may have begun since the request came
      durations.end(request, route, responseValue instanceof Response ? responseValue.status : set.status);
    })
    .mapResponse(({ request, set, responseValue }) => finish(responseValue, request, set))
    .as("global");
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The time from the arrival of a request to the begin of its response. */
function openDurations(metrics: Metrics) {
  const begun = new WeakMap<Request, number>();
  return {
    begin: (request: Request) => void begun.set(request, performance.now()),
    /** `route`: the pattern that was matched, if any. What was ended once is not counted again. */
    end(request: Request, route: string | undefined, status: number | string = 200): void {
      const begunMs = begun.get(request);
      if (begunMs === undefined) return;
      begun.delete(request);
      metrics.record("http_server_request_duration_seconds", (performance.now() - begunMs) / 1000, {
        http_request_method: METHODS.has(request.method) ? request.method : "_OTHER",
        http_route: route ?? "",
        http_response_status_code: String(status),
      });
    },
  };
}

const HOSTLESS = new Set(["/healthz", "/readyz"]); // load balancers may use HTTP/1.0

const noHost = () => new Refusal("not_found", "The Host header must name this server.");

/** Proxies and servers could each take another one for the host. */
const hasSeveralHosts = ({ headers }: Request): boolean => headers.get("host")?.includes(",") ?? false;

const severalHosts = () => new Refusal("malformed_request", "A request has exactly one Host header.");

/** Any headers may be sent, also to an address that does not exist: pages could not read its error otherwise. */
function preflight(request: Request, routes: readonly KnownRoute[]): Response {
  const allow = allowedMethods(routes, pathOf(request));
  return new Response(null, {
    status: 204,
    headers: {
      ...(allow === null ? {} : { allow }),
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers":
        request.headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "86400",
    },
  });
}

const pathOf = ({ url }: Request): string =>
  (URL.parse(url, "http://localhost")?.pathname ?? "/").slice(0, 200);

/** Whether a person opened the address in a browser: programs accept JSON or anything. */
const isBrowsed = (request: Request): boolean =>
  request.method === "GET" &&
  !isUnder("/api", request) &&
  (request.headers.get("accept") ?? "").includes("text/html");

/** The error of a request that matches no route. */
function unmatched(request: Request, allow: string | null, routes: readonly KnownRoute[]): Refusal {
  const path = pathOf(request);
  if (allow !== null)
    return new Refusal("method_not_allowed", `${path} does not take ${request.method}. It takes ${allow}.`);
  const likely = likelyPath(routes, path);
  const advice = likely ? `Did you mean ${likely}? A base URL ends in one /v1.` : "See /docs.";
  return new Refusal("not_found", `There is nothing at ${request.method} ${path}. ${advice}`);
}

const unreadable = () => invalidInput([{ field: "", code: "malformed", message: "could not be read" }]);
