/**
 * Requests to a hub of models: what it declares of a file, and the responses that hold its bytes.
 *
 *   probe ──redirects──> size, SHA-256 where it is declared, ETag, whether ranges are served
 *
 * Protocol: HTTP with ranges, and the `x-linked-*` headers of Hugging Face.
 */

import { ModelStoreError } from "../store/store-error.ts";
import { RetryableStatus, retry, withTimeout } from "./retry.ts";

export type Hub = {
  fetch: typeof fetch;
  /** The address to request: by a mirror, or as it is. */
  addressOf: (url: string) => string;
  signal: AbortSignal;
  /** The first wait between attempts; each later one is twice as long. */
  backoffMs: number;
  /** How long a connection may be silent. */
  idleMs: number;
};

/** `mirror` is put before every address, without its scheme. Proxies are those of the environment. */
export function openHub(mirror: string | null, signal = new AbortController().signal): Hub {
  const prefix = mirror?.replace(/\/?$/, "/");
  const addressOf = (url: string) => (prefix ? prefix + url.replace(/^https?:\/\//, "") : url);
  return { fetch, addressOf, signal, backoffMs: 500, idleMs: 30_000 };
}

export type Probed = {
  url: string;
  bytes: number | null;
  sha256: string | null;
  etag: string | null;
  ranges: boolean;
};

const REDIRECTS_MAX = 5;

/** What the hub declares of a file, in its own response or in that of a redirect. */
export function probe(hub: Hub, url: string): Promise<Probed> {
  return retry(hub, url, async () => {
    const probed: Probed = {
      url: hub.addressOf(url),
      bytes: null,
      sha256: null,
      etag: null,
      ranges: false,
    };
    const signal = AbortSignal.any([hub.signal, AbortSignal.timeout(hub.idleMs)]);
    const response = await follow(hub, url, {
      init: { method: "HEAD", signal },
      onResponse: ({ headers }) => readDeclared(headers, probed),
    });
    checkStatus(response, url);
    probed.bytes ??= wholeNumber(response.headers.get("content-length"));
    probed.ranges = response.headers.get("accept-ranges") === "bytes";
    return probed;
  });
}

/** The response to a GET; where it begins within `idleMs`. */
export async function get(hub: Hub, url: string, headers: Record<string, string>): Promise<Response> {
  const request = follow(hub, url, { init: { headers, signal: hub.signal } });
  const response = await withTimeout(hub.idleMs, request);
  checkStatus(response, url);
  return response;
}

type Request = { init: RequestInit; onResponse?: (response: Response) => void };

/** Follows redirects, and only to HTTP addresses: a redirect never names a file of this machine. */
async function follow(hub: Hub, url: string, { init, onResponse }: Request): Promise<Response> {
  let address = hub.addressOf(url);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    if (!/^https?:\/\//i.test(address))
      throw new ModelStoreError(`${url} redirects to ${address}, which is neither http:// nor https://.`);
    const response = await hub.fetch(address, { ...init, redirect: "manual" });
    onResponse?.(response);
    const next = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || next === null) return response;
    await response.body?.cancel();
    address = URL.parse(next, address)?.href ?? next;
  }
  throw new ModelStoreError(`${url} redirects more than ${REDIRECTS_MAX} times.`);
}

/** The first response that declares something counts. */
function readDeclared(headers: Headers, probed: Probed): void {
  const etag = headers.get("x-linked-etag") ?? headers.get("etag");
  const bare = etag?.replace(/^W\//, "").replaceAll('"', "") ?? null;
  probed.etag ??= bare;
  if (bare && /^[0-9a-f]{64}$/.test(bare)) probed.sha256 ??= bare;
  probed.bytes ??= wholeNumber(headers.get("x-linked-size"));
}

const wholeNumber = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null);

function checkStatus({ status, headers }: Response, url: string): void {
  if (status < 300) return;
  if (status === 429 || status >= 500) {
    const seconds = wholeNumber(headers.get("retry-after"));
    throw new RetryableStatus(status, seconds === null ? null : seconds * 1000);
  }
  const hint = status === 401 || status === 403 ? ": access to it may be restricted" : "";
  throw new ModelStoreError(`${url} answered ${status}${hint}.`);
}
