/**
 * Requests to addresses that users name, such as webhooks and recordings: they reach the public network only, and what the
 * operator opens. The one door for them.
 *
 *   address ─> shape ─> all addresses of the name ─> each is public ─> connection to a checked one ─> answer, no redirects
 *
 * The name is not resolved again for the connection, so that a name server cannot answer otherwise the second time.
 */

import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { type BlockList, isIP } from "node:net";
import { unlessAborted } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { listOf, reachOf } from "./public-address.ts";

/** `proxy` null: none; the operator's networks are reached without it. `resolve`: all addresses of a name. `connect`: where a connection to a checked address goes; both are for tests to replace. */
export type Guard = {
  open: BlockList;
  proxy: (() => string) | null;
  resolve(name: string): Promise<readonly string[]>;
  connect(address: string, port: number): { address: string; port: number };
  /** Certificates beside those of the system, in PEM. */
  trusted?: string;
};

/** `networks`: those that the operator opens. */
export const openGuard = ({ networks, proxy = null }: Reach): Guard => ({
  open: listOf(networks),
  proxy,
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect: (address, port) => ({ address, port }),
});

type Reach = { networks: readonly string[]; proxy?: Guard["proxy"] };

/** `totalMs`: for all of it, the reading of the answer too. `param`: the field of the request that has the address. */
type Asking = {
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  totalMs: number;
  signal: AbortSignal;
  param: string;
};

/** Its body is read once, or not at all; `close` ends the connection. */
export type GuardedAnswer = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Throws where it breaks off, or takes longer than it may. */
  chunks(): AsyncGenerator<Uint8Array>;
  close(): void;
};

const ADDRESS_MAX = 2048; // characters
const HEADERS_MAX = 16 * 1024; // bytes

/** The address, where its shape allows it. Throws `url_not_allowed`. */
export function checkedUrl(text: string, param: string): URL {
  const url = text.length <= ADDRESS_MAX ? URL.parse(text) : null;
  if (url === null) throw notAllowed(param, "The address is not a URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw notAllowed(param, "The address must begin with https://.");
  if (url.username !== "" || url.password !== "")
    throw notAllowed(param, "The address must not contain a user or a password.");
  return url;
}

const RESOLVE_MS = 5000;

/** Of an address that is kept for later: refuses it where it may not be reached now, or its name has no address. */
export async function requireAllowed(guard: Guard, text: string, param: string): Promise<void> {
  const url = checkedUrl(text, param);
  try {
    const found = checkedAddress(guard, url, param);
    const { isOpen } = await unlessAborted(AbortSignal.timeout(RESOLVE_MS), found);
    checkPort(url, isOpen, param);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw unreachable(param, "Its name could not be resolved.", cause);
  }
}

/** Throws `url_not_allowed` for what may not be reached, `url_unreachable` for what cannot, or the reason of the signal. */
export async function guardedRequest(guard: Guard, url: URL, asking: Asking): Promise<GuardedAnswer> {
  const { param, signal } = asking;
  const late = AbortSignal.timeout(asking.totalMs);
  const limited = AbortSignal.any([signal, late]);
  try {
    limited.throwIfAborted();
    const { address, isOpen } = await unlessAborted(limited, checkedAddress(guard, url, param));
    checkPort(url, isOpen, param);
    if (guard.proxy !== null && !isOpen)
      return await byProxy({ ...guard, proxy: guard.proxy }, url, { ...asking, signal: limited });
    const answer = await send(guard, { url, address }, { ...asking, signal: limited });
    return answerOf(answer, { ...asking, signal: limited });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof Refusal) throw cause;
    throw unreachable(param, late.aborted ? "It took too long." : "It did not answer.", cause);
  }
}

/** The first address of the name; all of them must be allowed. */
async function checkedAddress(
  { open, proxy, resolve }: Guard,
  { hostname }: URL,
  param: string,
): Promise<{ address: string; isOpen: boolean }> {
  const name = hostname.replace(/^\[|\]$/g, "");
  const resolved = () => (proxy === null ? resolve(name) : resolve(name).catch(() => [])); // it may know more names
  const addresses = isIP(name) === 0 ? await resolved() : [name];
  const reaches = addresses.map((address) => reachOf(address, open));
  const [address] = addresses;
  if (address === undefined && proxy !== null) return { address: name, isOpen: false };
  if (address === undefined) throw unreachable(param, "Its name has no address.", null);
  if (reaches.includes("closed")) throw notAllowed(param, `The address ${name} is not public.`);
  return { address, isOpen: reaches.every((reach) => reach === "open") };
}

/** Within the operator's networks any, and plain HTTP. */
function checkPort({ protocol, port }: URL, isOpen: boolean, param: string): void {
  if (isOpen) return;
  if (protocol !== "https:") throw notAllowed(param, "The address must begin with https://.");
  if (port !== "" && Number(port) < 1024) throw notAllowed(param, `The port ${port} is not allowed.`);
}

type Target = { url: URL; address: string };

function send(guard: Guard, { url, address }: Target, asking: Asking): Promise<IncomingMessage> {
  const { method, headers = {}, body, signal } = asking;
  const isSecure = url.protocol === "https:";
  const to = guard.connect(address, Number(url.port || (isSecure ? 443 : 80)));
  const found = { address: to.address, family: isIP(to.address) };
  const options = {
    method,
    signal,
    agent: false, // a kept connection would go where it went before
    maxHeaderSize: HEADERS_MAX,
    host: to.address,
    port: to.port,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    lookup: (_name: string, { all }: { all?: boolean }, done: Found) =>
      all ? done(null, [found]) : done(null, found.address, found.family),
    ...(isSecure ? { servername: isIP(url.hostname) === 0 ? url.hostname : "" } : {}),
    ...(isSecure && guard.trusted !== undefined ? { ca: guard.trusted } : {}),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (isSecure ? https : http).request(options as https.RequestOptions, resolve);
  request.on("error", reject);
  request.end(body);
  return promise;
}

async function byProxy(
  guard: Guard & { proxy: () => string },
  url: URL,
  asking: Asking,
): Promise<GuardedAnswer> {
  const { method, headers = {}, body, signal } = asking;
  const { proxy, trusted } = guard;
  const answer = await proxiedRequest(url, { method, headers, body, signal, proxy: proxy(), trusted });
  return {
    ...answer,
    chunks: () => chunksOf(answer.body ?? [], () => true, { ...asking, close: answer.close }),
  };
}

type Found = (error: null, address: string | { address: string; family: number }[], family?: number) => void;

function answerOf(answer: IncomingMessage, { signal, param }: Asking): GuardedAnswer {
  const close = () => void answer.destroy();
  answer.on("error", () => {}); // thrown to who reads it
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    close,
    chunks: () => chunksOf(answer, () => answer.complete, { signal, param, close }),
  };
}

async function* chunksOf(
  body: AsyncIterable<unknown> | Iterable<unknown>,
  isComplete: () => boolean,
  { signal, param, close }: Pick<Asking, "signal" | "param"> & Pick<GuardedAnswer, "close">,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      signal.throwIfAborted();
      yield chunk as Uint8Array;
    }
    signal.throwIfAborted();
    if (!isComplete()) throw new Error("the answer broke off");
  } catch (cause) {
    throw cause instanceof Refusal ? cause : unreachable(param, "Its answer broke off.", cause);
  } finally {
    close();
  }
}

const notAllowed = (param: string, message: string) => new Refusal("url_not_allowed", message, { param });

const unreachable = (param: string, why: string, cause: unknown) =>
  new Refusal("url_unreachable", `The address could not be read. ${why}`, { param, cause });

type ProxiedAsking = {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
  /** Of the proxy, with its user and password if it asks for them. */
  proxy: string;
  /** Certificates beside those of the system, in PEM. */
  trusted?: string | undefined;
};

/** A request through an HTTP proxy, which connects to the name by CONNECT: the certificate is checked here, against the name. */
async function proxiedRequest(url: URL, asking: ProxiedAsking) {
  const { trusted, body, ...options } = asking;
  const leaving = new AbortController();
  const response = await fetch(url, {
    ...options,
    signal: AbortSignal.any([options.signal, leaving.signal]),
    redirect: "manual",
    keepalive: false,
    ...(body === undefined ? {} : { body }),
    ...(trusted === undefined ? {} : { tls: { ca: trusted } }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body,
    close: () => leaving.abort(),
  };
}
