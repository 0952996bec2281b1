/** Reads the request that opens a realtime socket: the key, the model, and the current or beta shape. */
import type { Shape } from "../../../realtime/settings.ts";
import { bearer, userAgentOf } from "../../middleware/caller.ts";
import { type Caller, upgradeRequired } from "../../sockets/socket-route.ts";

const KEY_PROTOCOL = "openai-insecure-api-key.";
const SECRET = /api-key|(sk_live|sk_test|ek)_/i;

export type Opening = {
  id: string;
  /** As requests are counted by it. */
  endpoint: string;
  secret: () => string;
  model: string | null;
  shape: Shape;
  ip: string | null;
  userAgent: string | null;
  /** The request that became the socket. */
  request: Request;
};

export function openingOf(request: Request, protocols: string[], { id, ip }: Caller): Opening {
  const query = new URL(request.url).searchParams;
  const authorization = request.headers.get("authorization");
  const key = protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  return {
    id,
    endpoint: "/v1/realtime",
    ip,
    request,
    secret: () => (authorization === null && key !== undefined ? key : bearer(request.headers)),
    model: query.get("model")?.slice(0, 256) || null,
    shape: { beta: isBeta(request, protocols), intent: query.get("intent") === "transcription" },
    userAgent: userAgentOf(request),
  };
}

/**
 * Null if none was offered. Otherwise one is always chosen: without a choice, the first one offered is used, which may be
 * a key, and would appear in the logs of proxies.
 */
export function chosenOf(protocols: string[]): string | null {
  if (protocols.length === 0) return null;
  const chosen = protocols.includes("realtime") ? "realtime" : protocols.find((name) => !SECRET.test(name));
  if (chosen === undefined) throw upgradeRequired('Offer the subprotocol "realtime" beside your key.');
  return chosen;
}

const isBeta = (request: Request, protocols: string[]): boolean =>
  /\brealtime=v1\b/.test(request.headers.get("openai-beta") ?? "") ||
  protocols.includes("openai-beta.realtime-v1");
