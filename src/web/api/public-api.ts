/** Calls of the public API with a key, as any client makes them. */
import { apiBase } from "../browser/addresses.ts";
import { send } from "./server.ts";

export const STT_MODEL = "svc-stt1";

/** Calls a path below `/v1`; error responses are thrown as `ServerError`. */
export type Client = (path: string, init?: RequestInit) => Promise<Response>;

export const openClient =
  (key: string): Client =>
  (path, init = {}) =>
    send(apiBase() + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

/** A POST of JSON. `headers` is a plain object, for `openClient` adds its own. */
export const jsonBody = (body: object): RequestInit & { headers: Record<string, string> } => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
