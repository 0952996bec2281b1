/** The management API's router: every route of the schema, with authorization and validation, and those of sign-in. */
import { Elysia } from "elysia";
import type { Session } from "../../accounts/principal.ts";
import { type Actor, actingAs } from "../../audit/actor.ts";
import type { Config } from "../../config/config.ts";
import { openSignatures } from "../../identity/hmac.ts";
import type { Identity } from "../../identity/identity.ts";
import { type BodyTimeouts, malformed, readBytes } from "../middleware/body/body.ts";
import { type CallerOf, openCallers, userAgentOf } from "../middleware/caller.ts";
import { fileOf } from "../middleware/row-files.ts";
import { type Authorization, openAuthorization } from "./authorization.ts";
import { accountHandlers, pronunciationHandlers, voiceHandlers } from "./handlers/account-handlers.ts";
import { adminKeyHandlers } from "./handlers/admin-key-handlers.ts";
import { alertHandlers } from "./handlers/alert-handlers.ts";
import { aliasHandlers } from "./handlers/alias-handlers.ts";
import { auditHandlers } from "./handlers/audit-handlers.ts";
import { billingHandlers } from "./handlers/billing-handlers.ts";
import { businessHandlers } from "./handlers/business-handlers.ts";
import { conversationHandlers } from "./handlers/conversation-handlers.ts";
import { deletionHandlers } from "./handlers/deletion-handlers.ts";
import { exportHandlers } from "./handlers/export-handlers.ts";
import type { Handlers, ManagementDeps } from "./handlers/handler.ts";
import { jobHandlers } from "./handlers/job-handlers.ts";
import { operatorHandlers } from "./handlers/operator-handlers.ts";
import { priceHandlers } from "./handlers/price-handlers.ts";
import { serviceAccountHandlers } from "./handlers/service-account-handlers.ts";
import { statementHandlers } from "./handlers/statement-handlers.ts";
import { statusHandlers } from "./handlers/status-handlers.ts";
import { upstreamHandlers } from "./handlers/upstream-handlers.ts";
import { usageHandlers } from "./handlers/usage-handlers.ts";
import { userHandlers } from "./handlers/user-handlers.ts";
import { voucherHandlers } from "./handlers/voucher-handlers.ts";
import { webhookHandlers } from "./handlers/webhook-handlers.ts";
import { bodyInput, queryInput } from "./input.ts";
import { detailOf } from "./openapi.ts";
import { openPersonOf, type PersonOf } from "./proxy-person.ts";
import type { Download, Route } from "./schema/route.ts";
import { type Contract, contract } from "./schema/routes.ts";
import { webhookRoute } from "./stripe-webhook.ts";

/** A dashboard sends the build that it was loaded with, and compares. */
const BUILD_HEADER = "x-loquat-build";

/** `build`: the one that a dashboard would be loaded with now; null while that is unknown. */
type RouterDeps = ManagementDeps & { build: () => string | null };

export function managementRoutes({ build, ...deps }: RouterDeps) {
  const handlerDeps = { ...deps, signatures: openSignatures(deps) };
  const listing = {
    ...accountHandlers(handlerDeps),
    ...adminKeyHandlers(handlerDeps),
    ...serviceAccountHandlers(handlerDeps),
    ...usageHandlers(handlerDeps),
    ...billingHandlers(handlerDeps),
    ...operatorHandlers(handlerDeps),
    ...statusHandlers(handlerDeps),
    ...aliasHandlers(handlerDeps),
    ...upstreamHandlers(handlerDeps),
    ...conversationHandlers(handlerDeps),
    ...pronunciationHandlers(handlerDeps),
    ...voiceHandlers(handlerDeps),
    ...voucherHandlers(handlerDeps),
    ...statementHandlers(handlerDeps),
    ...businessHandlers(handlerDeps),
    ...priceHandlers(handlerDeps),
    ...userHandlers(handlerDeps),
    ...webhookHandlers(handlerDeps),
    ...deletionHandlers(handlerDeps),
    ...alertHandlers(handlerDeps),
    ...jobHandlers(handlerDeps),
    ...auditHandlers(handlerDeps),
  };
  const handlers: Handlers<Contract> = { ...listing, ...exportHandlers(handlerDeps, listing) };
  const app = new Elysia();
  const gate = openAuthorization(handlerDeps);
  const { identity, config, metrics } = deps;
  const callerOf = openCallers(config.http.proxies);
  const personOf = openPersonOf({ proxy: config.identity.proxy, proxies: config.http.proxies, metrics });
  for (const [name, route] of Object.entries<Route>(contract)) {
    const [method, path] = name.split(" ") as [string, string];
    const handler = handlers[name as keyof Contract] as Handler;
    const answer = createHandler({ path, ...route }, handler, gate);
    const handle = async ({ request, params, server }: Received) => {
      const [person, address] = [personOf(request, server), callerOf(request, server)];
      const entered = route.needs === "anyone" ? null : await identity.enter(request, person, address);
      const response = await answer(request, params ?? {}, address);
      if (entered !== null) response.headers.append("set-cookie", entered);
      const current = request.headers.has(BUILD_HEADER) ? build() : null;
      if (current !== null && response.ok) response.headers.set(BUILD_HEADER, current);
      return response;
    };
    app.route(method, path, handle as (call: unknown) => unknown, {
      parse: "none",
      detail: detailOf(name, route),
    });
  }
  return app.use(authRoutes(handlerDeps, personOf)).use(webhookRoute(handlerDeps));
}

/** A handler of any route; authorization and validation guarantee the type of its call. */
type Handler = (call: object) => Promise<object | undefined>;

type Received = {
  request: Request;
  params?: Record<string, string>;
  server: Parameters<CallerOf>[1];
};

function createHandler(
  { path, needs, status, redirects, download, ...route }: Route & { path: string },
  handler: Handler,
  gate: Authorization,
) {
  const first = /:(\w+)/.exec(path)?.[1] ?? null;
  const confirms = route.confirms === true;
  const [queryOf, bodyOf] = [queryInput(route.query), bodyInput(route.body)];
  return async (request: Request, ids: Record<string, string>, address: string | null): Promise<Response> => {
    const caller = await gate({ needs, confirms, request, ids, first });
    const query = await queryOf(request);
    const body = await bodyOf(request);
    const { session } = caller;
    const call = () => handler({ ...caller, ids, query, body, signal: request.signal });
    const by = session && { ...actorOf(session, needs), address, userAgent: userAgentOf(request) };
    const reply = await (by ? actingAs(by, call) : call());
    if (reply === undefined) return new Response(null, { status: 204 });
    if (download) return fileOf(reply as Download);
    if (redirects) return Response.redirect((reply as { url: string }).url, 302);
    return Response.json(reply, { status: status ?? 200 });
  };
}

const actorOf = ({ user: { id, email } }: Session, needs: Route["needs"]) =>
  ({
    ...{ type: needs === "operator" ? ("operator" as const) : ("user" as const), id, email },
  }) satisfies Partial<Actor>;

const BODY_LIMIT = 64 * 1024;
const TIMEOUTS: BodyTimeouts = { idleMs: 10_000, totalMs: 30_000 };

type AuthDeps = { identity: Identity; config: Pick<Config, "http"> };

/** The HTTP routes of identity. Bodies are read with a limit and timeouts first. */
function authRoutes({ identity, config }: AuthDeps, personOf: PersonOf) {
  const callerOf = openCallers(config.http.proxies);
  return new Elysia().all(
    "/api/auth/*",
    async ({ request, server }) => {
      const address = callerOf(request, server);
      const entered = await identity.enter(request, personOf(request, server), address);
      const response = await identity.handle(request, address, readWhole);
      if (entered !== null) response.headers.append("set-cookie", entered);
      return response;
    },
    { parse: "none", detail: { hide: true } },
  );
}

async function readWhole(request: Request): Promise<Request> {
  const { url, method, headers } = request;
  if (method === "GET" || method === "HEAD") return request;
  const tooLarge = () => malformed("too_long", `is larger than ${BODY_LIMIT} bytes`);
  const body = await readBytes(request, { limit: BODY_LIMIT, tooLarge, timeouts: TIMEOUTS });
  return new Request(url, { method, headers, body });
}
