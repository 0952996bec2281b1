/** The management API's router: every route of the schema, with authorization and validation, and those of sign-in. */
import { Elysia } from "elysia";
import type { Config } from "../../config/config.ts";
import { openSignatures } from "../../identity/hmac.ts";
import type { Identity } from "../../identity/identity.ts";
import { type BodyTimeouts, malformed, readBytes } from "../middleware/body/body.ts";
import { openCallers } from "../middleware/client-address.ts";
import { type Authorization, openAuthorization } from "./authorization.ts";
import { accountHandlers, pronunciationHandlers, voiceHandlers } from "./handlers/account-handlers.ts";
import { adminKeyHandlers } from "./handlers/admin-key-handlers.ts";
import { aliasHandlers } from "./handlers/alias-handlers.ts";
import { billingHandlers } from "./handlers/billing-handlers.ts";
import { conversationHandlers } from "./handlers/conversation-handlers.ts";
import type { Handlers, ManagementDeps } from "./handlers/handler.ts";
import { operatorHandlers } from "./handlers/operator-handlers.ts";
import { upstreamHandlers } from "./handlers/upstream-handlers.ts";
import { usageHandlers } from "./handlers/usage-handlers.ts";
import { bodyInput, queryInput } from "./input.ts";
import { detailOf } from "./openapi.ts";
import type { Route } from "./schema/route.ts";
import { type Contract, contract } from "./schema/routes.ts";
import { webhookRoute } from "./stripe-webhook.ts";

/** A dashboard sends the build that it was loaded with, and compares. */
const BUILD_HEADER = "x-loquat-build";

/** `build`: the one that a dashboard would be loaded with now; null while that is unknown. */
type RouterDeps = ManagementDeps & { build: () => string | null };

export function managementRoutes({ build, ...deps }: RouterDeps) {
  const handlerDeps = { ...deps, signatures: openSignatures(deps) };
  const handlers: Handlers<Contract> = {
    ...accountHandlers(handlerDeps),
    ...adminKeyHandlers(handlerDeps),
    ...usageHandlers(handlerDeps),
    ...billingHandlers(handlerDeps),
    ...operatorHandlers(handlerDeps),
    ...aliasHandlers(handlerDeps),
    ...upstreamHandlers(handlerDeps),
    ...conversationHandlers(handlerDeps),
    ...pronunciationHandlers(handlerDeps),
    ...voiceHandlers(handlerDeps),
  };
  const app = new Elysia();
  const gate = openAuthorization(handlerDeps);
  for (const [name, route] of Object.entries<Route>(contract)) {
    const [method, path] = name.split(" ") as [string, string];
    const answer = createHandler({ path, ...route }, handlers[name as keyof Contract] as Handler, gate);
    const handle = async (request: Request, params: Record<string, string>) => {
      const response = await answer(request, params);
      const current = request.headers.has(BUILD_HEADER) ? build() : null;
      if (current !== null && response.ok) response.headers.set(BUILD_HEADER, current);
      return response;
    };
    app.route(method, path, ({ request, params }) => handle(request, params ?? {}), {
      parse: "none",
      detail: detailOf(name, route),
    });
  }
  return app.use(authRoutes(handlerDeps)).use(webhookRoute(handlerDeps));
}

/** A handler of any route; authorization and validation guarantee the type of its call. */
type Handler = (call: object) => Promise<object | undefined>;

function createHandler(
  { path, needs, status, redirects, ...route }: Route & { path: string },
  handler: Handler,
  gate: Authorization,
) {
  const first = /:(\w+)/.exec(path)?.[1] ?? null;
  const [queryOf, bodyOf] = [queryInput(route.query), bodyInput(route.body)];
  return async (request: Request, ids: Record<string, string>): Promise<Response> => {
    const caller = await gate({ needs, request, ids, first });
    const query = await queryOf(request);
    const body = await bodyOf(request);
    const reply = await handler({ ...caller, ids, query, body });
    if (reply === undefined) return new Response(null, { status: 204 });
    if (redirects) return Response.redirect((reply as { url: string }).url, 302);
    return Response.json(reply, { status: status ?? 200 });
  };
}

const BODY_LIMIT = 64 * 1024;
const TIMEOUTS: BodyTimeouts = { idleMs: 10_000, totalMs: 30_000 };

type AuthDeps = { identity: Identity; config: Pick<Config, "http"> };

/** The HTTP routes of identity. Bodies are read with a limit and timeouts first. */
function authRoutes({ identity, config }: AuthDeps) {
  const callerOf = openCallers(config.http.proxies);
  return new Elysia().all(
    "/api/auth/*",
    async ({ request, server }) => identity.handle(request, callerOf(request, server), readWhole),
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
