/**
 * What every response has in common: the request id, CORS, and the error envelope. Any error thrown by a route becomes
 * a fault; an unexpected one reveals nothing of itself.
 */
import { Elysia } from "elysia";
import type { Clock } from "../../clock.ts";
import { invalidInput, Refusal } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Log } from "../../log.ts";
import { type BodyTimeouts, isUnreadable, openDiscard, type Pace } from "./body/body.ts";
import { envelope, faultHeaders, toFault } from "./faults.ts";
import { hostOf } from "./host.ts";
import { RATE_LIMIT_HEADERS } from "./rate-limit-headers.ts";

const EXPOSED = ["x-request-id", "retry-after", ...RATE_LIMIT_HEADERS].join(", ");

type EdgeDeps = { clock: Clock; log: Log; timeouts: BodyTimeouts; pace: Pace };

export function edge({ clock, log, timeouts, pace }: EdgeDeps) {
  const discard = openDiscard(timeouts, pace);
  return new Elysia({ name: "edge" })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = newId("req", clock);
      set.headers["x-content-type-options"] = "nosniff";
      if (isUnreadable(request)) set.headers.connection = "close";
      if (hostOf(request.url) === null && !HOSTLESS.has(request.url)) throw noHost();
      if (isUnder("/api", request)) set.headers["cache-control"] = "no-store";
      if (!isUnder("/v1", request)) return;
      set.headers["access-control-allow-origin"] = "*";
      set.headers["access-control-expose-headers"] = EXPOSED;
      if (request.method === "OPTIONS") return preflight(request, set.headers as Record<string, string>);
    })
    .onError(async ({ code, error, request, set }) => {
      const fault = toFault(
        code === "NOT_FOUND" ? unknownRoute(request) : code === "PARSE" ? unreadable() : error,
      );
      const id = set.headers["x-request-id"] as string;
      const fields = { id, status: fault.status, code: fault.code };
      if (request.signal.aborted) log.debug("client_left", { id, cause: fault.cause ?? null });
      else if (fault.status >= 500) log.error("request_failed", { ...fields, cause: fault.cause ?? null });
      else log.debug("request_rejected", fields);
      const headers = faultHeaders(fault);
      if (!(await discard(request))) headers.connection = "close";
      return Response.json(envelope(fault, id), { status: fault.status, headers });
    })
    .as("global");
}

const HOSTLESS = new Set(["/healthz", "/readyz"]); // load balancers may use HTTP/1.0

const noHost = () =>
  new Refusal(
    "not_found",
    "The Host header must name this server in four characters or more, port included.",
  );

/** Any web page may call /v1 with a key; /api uses cookies and is for pages of this server only. */
const isUnder = (folder: string, { url }: Request): boolean =>
  url.startsWith(`${folder}/`, url.indexOf("/", "https://".length));

function preflight(request: Request, headers: Record<string, string>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers":
        request.headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "86400",
    },
  });
}

function unknownRoute(request: Request): Refusal {
  const { pathname } = new URL(request.url, "http://localhost");
  return new Refusal(
    "not_found",
    `There is nothing at ${request.method} ${pathname.slice(0, 200)}. See /docs.`,
  );
}

const unreadable = () => invalidInput([{ field: "", code: "malformed", message: "could not be read" }]);
