/**
 * Requests to a hub of models: the bytes of a file, and what the hub declares of it.
 *
 *   GET, range ──redirects──> 206: bytes, and the length of the whole file in `content-range`
 *       └── x-linked-size, x-linked-etag: length and SHA-256 of a large file, on the way to its storage
 *           x-repo-commit: the revision that the address named at that time
 *
 * Only `x-linked-etag` is a hash of the content. Other ETags of 64 hexadecimal digits exist: GitHub computes its own, and
 * the storage of Hugging Face sends the id of a Xet file. Nothing is requested compressed: lengths and ranges of a
 * compressed response are not those of the file.
 */

import { ModelStoreError } from "../store/store-error.ts";
import { openFetch } from "./connect.ts";
import { RetryableStatus, retry } from "./retry.ts";

export type Hub = {
  fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>;
  /** The address to request: by a mirror, or as it is. */
  addressOf: (url: string) => string;
  signal: AbortSignal;
  /** The first wait between attempts; each later one is twice as long. */
  backoffMs: number;
  /** How long a connection may be silent. */
  idleMs: number;
  /** Called with a line for the operator: a long wait, a source that failed. */
  notice: (line: string) => void;
  /** Hosts that gave no answer at all, with what was said of it: they are not asked again. */
  silent: Map<string, ModelStoreError>;
};

/** `silent`: of earlier pulls. */
type HubOptions = { signal?: AbortSignal; notice?: (line: string) => void; silent?: Hub["silent"] };

/** For one pull: it remembers which addresses answer. `mirror` is put before every URL, without its scheme. */
export function openHub(
  mirror: string | null,
  { signal = new AbortController().signal, notice = () => {}, silent = new Map() }: HubOptions = {},
): Hub {
  const prefix = mirror?.replace(/\/?$/, "/");
  const addressOf = (url: string) => (prefix ? prefix + url.replace(/^https?:\/\//, "") : url);
  return { fetch: openFetch(), addressOf, signal, backoffMs: 500, idleMs: 30_000, notice, silent };
}

/**
 * What a hub says of a file; null where it does not. `etag`: strong ones only, which change with every byte. `revision`: the
 * commit of its repository that was answered with.
 */
export type Declared = {
  bytes: number | null;
  sha256: string | null;
  etag: string | null;
  revision: string | null;
};
type Answer = { response: Response; declared: Declared };
/** Both inclusive, as in HTTP. */
type Range = { from: number; to: number };

/** What the hub declares of a file, from a request for its first byte. */
export function probe(hub: Hub, url: string): Promise<Declared> {
  return unlessSilent(hub, url, () =>
    retry(hub, url, async () => {
      const { response, declared } = await get(hub, url, { from: 0, to: 0 });
      await response.body?.cancel();
      return declared;
    }),
  );
}

/** The work, unless the host is silent; it is from then on where the work fails for want of an answer. */
export async function unlessSilent<T>(hub: Hub, url: string, work: () => Promise<T>): Promise<T> {
  const { host } = new URL(hub.addressOf(url));
  const known = hub.silent.get(host);
  if (known) throw known;
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelStoreError && error.isUnanswered) hub.silent.set(host, error);
    throw error;
  }
}

/** The response to a GET, 206 or 200; fails where it does not begin within `idleMs`. */
export async function get(hub: Hub, url: string, range: Range | null): Promise<Answer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("timed out", "TimeoutError")), hub.idleMs);
  const headers = {
    "accept-encoding": "identity",
    ...(range && { range: `bytes=${range.from}-${range.to}` }),
  };
  try {
    const signal = AbortSignal.any([hub.signal, late.signal]);
    const { response, redirects, declared } = await follow(hub, url, { headers, signal });
    checkStatus(response, { url, isSigned: redirects > 0 });
    return { response, declared: withLength(declared, { response, url, range }) };
  } finally {
    clearTimeout(timer);
  }
}

const REDIRECTS_MAX = 5;

/** Follows redirects, and only to HTTP addresses: a redirect never names a file of this machine. */
async function follow(
  hub: Hub,
  url: string,
  init: BunFetchRequestInit,
): Promise<Answer & { redirects: number }> {
  const declared: Declared = { bytes: null, sha256: null, etag: null, revision: null };
  let address = hub.addressOf(url);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    if (!/^https?:\/\//i.test(address))
      throw new ModelStoreError(`${url} redirects to ${address}, which is neither http:// nor https://.`);
    const response = await hub.fetch(address, { ...init, redirect: "manual" });
    readLinked(response.headers, declared);
    const next = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || next === null)
      return { response, redirects, declared };
    await response.body?.cancel();
    address = URL.parse(next, address)?.href ?? next;
  }
  throw new ModelStoreError(`${url} redirects more than ${REDIRECTS_MAX} times.`);
}

/** The first response that declares something counts: later ones are of the storage. */
function readLinked(headers: Headers, declared: Declared): void {
  declared.bytes ??= wholeNumber(headers.get("x-linked-size"));
  declared.revision ??= /^([0-9a-f]{40}|[0-9a-f]{64})$/.exec(headers.get("x-repo-commit") ?? "")?.[0] ?? null;
  const etag = strongEtag(headers.get("x-linked-etag"));
  if (etag === null) return;
  declared.etag ??= etag;
  if (/^[0-9a-f]{64}$/.test(etag)) declared.sha256 ??= etag;
}

const strongEtag = (etag: string | null) =>
  etag === null || etag.startsWith("W/") ? null : etag.replaceAll('"', "");

type Response206 = { response: Response; url: string; range: Range | null };

/** With the length of the whole file, where the last response says it too. */
function withLength(linked: Declared, { response, url, range }: Response206): Declared {
  const { status, headers } = response;
  const isEncoded = !["identity", null].includes(headers.get("content-encoding"));
  const etag = linked.etag ?? strongEtag(headers.get("etag"));
  if (status !== 206) {
    const length = isEncoded ? null : wholeNumber(headers.get("content-length"));
    return { ...linked, etag, bytes: linked.bytes ?? length };
  }
  if (isEncoded) throw new ModelStoreError(`${url} answers with a range of a compressed file.`);
  const [, from, total = "*"] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ?? [];
  if (from !== undefined && Number(from) !== range?.from)
    throw new ModelStoreError(`${url} answers with another range than requested.`);
  const bytes = wholeNumber(total);
  if (bytes !== null && linked.bytes !== null && bytes !== linked.bytes)
    throw new ModelStoreError(`${url} declares ${linked.bytes} bytes, and then ${bytes}.`);
  return { ...linked, etag, bytes: linked.bytes ?? bytes };
}

const wholeNumber = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null);

/** `isSigned`: the address came from a redirect; where it has expired (403), the hub is asked for a new one. */
function checkStatus({ status, headers }: Response, { url, isSigned }: { url: string; isSigned: boolean }) {
  if (status < 300) return;
  if ([408, 425, 429].includes(status) || status >= 500 || (status === 403 && isSigned))
    throw new RetryableStatus(status, waitOf(headers));
  const hint = status === 401 || status === 403 ? ": access to it may be restricted" : "";
  throw new ModelStoreError(`${url} answered ${status}${hint}.`);
}

/** `retry-after` in milliseconds: seconds, or a date, which is compared with that of the response. */
function waitOf(headers: Headers): number | null {
  const after = headers.get("retry-after");
  const seconds = wholeNumber(after);
  if (seconds !== null) return seconds * 1000;
  const wait = Date.parse(after ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
