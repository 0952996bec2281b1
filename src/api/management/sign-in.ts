/** The HTTP routes of identity. Bodies are read with a limit and timeouts first. */
import { Elysia } from "elysia";
import type { Config } from "../../config/config.ts";
import type { Identity } from "../../identity/identity.ts";
import { type BodyTimeouts, malformed, readBytes } from "../middleware/body/body.ts";
import { openCallers } from "../middleware/client-address.ts";

const BODY_LIMIT = 64 * 1024;
const TIMEOUTS: BodyTimeouts = { idleMs: 10_000, totalMs: 30_000 };

type AuthDeps = { identity: Identity; config: Pick<Config, "http"> };

export function authRoutes({ identity, config }: AuthDeps) {
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
