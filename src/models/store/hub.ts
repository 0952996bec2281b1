/**
 * One file from a hub: what the hub says of it, and its bytes, in ranges that can be taken up again.
 *
 *   probe ──redirects──> size, hash where it tells, a mark of this very content (etag)
 *   download   ▒▒▒▒▒▒▒▒░░░░▒▒▒▒░░░░      ranges side by side, each tried again; the hash follows where it is whole
 *
 * What came so far lies beside a note of which ranges are whole and of what content they are; content that changed
 * starts again. Protocol: HTTP ranges, and the `x-linked-*` headers of Hugging Face.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { diskFailure, ModelStoreError } from "./store-error.ts";

export type Hub = {
  fetch: typeof fetch;
  /** How an address is reached: by a mirror, or as it is. */
  addressOf: (url: string) => string;
  signal: AbortSignal;
  /** Waiting between tries, and how long a silent connection is borne. */
  backoffMs: number;
  idleMs: number;
};

/** `mirror` stands before every address, which loses its scheme. Proxies are those of the environment. */
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

const MEGABYTE = 1024 * 1024;
const RANGE = 8 * MEGABYTE;
const HASHED = MEGABYTE; // at once: a server does other things beside
const SIDE_BY_SIDE = 4;
const TRIES = 5;
const REDIRECTS_MOST = 5;

/** What the hub declares, wherever on the way it does. */
export async function probe(hub: Hub, url: string): Promise<Probed> {
  return tried(hub, url, async () => {
    const address = hub.addressOf(url);
    const found: Probed = { url: address, bytes: null, sha256: null, etag: null, ranges: false };
    const asked = { method: "HEAD", signal: timeouts(hub) };
    const response = await reach(hub, url, { asked, met: (each) => note(found, each) });
    checkStatus(response, url);
    found.bytes ??= wholeNumber(response.headers.get("content-length"));
    found.ranges = response.headers.get("accept-ranges") === "bytes";
    return found;
  });
}

type Reaching = { asked: RequestInit; met?: (response: Response) => void };

/** Where an address leads in the end. Every step is HTTP: what a redirect names is never a file of this machine. */
async function reach(hub: Hub, url: string, { asked, met }: Reaching): Promise<Response> {
  let address = hub.addressOf(url);
  for (let step = 0; step <= REDIRECTS_MOST; step++) {
    if (!/^https?:\/\//i.test(address))
      throw new ModelStoreError(`${url} leads to ${address}, which is neither http:// nor https://.`);
    const response = await hub.fetch(address, { ...asked, redirect: "manual" });
    met?.(response);
    const next = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || next === null) return response;
    await response.body?.cancel();
    address = URL.parse(next, address)?.href ?? next;
  }
  throw new ModelStoreError(`${url} leads from one address to the next without end.`);
}

function note(found: Probed, { headers }: Response): void {
  const etag = headers.get("x-linked-etag") ?? headers.get("etag");
  const bare = etag?.replace(/^W\//, "").replaceAll('"', "") ?? null;
  found.etag ??= bare;
  if (bare && /^[0-9a-f]{64}$/.test(bare)) found.sha256 ??= bare;
  found.bytes ??= wholeNumber(headers.get("x-linked-size"));
}

const wholeNumber = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null);

type Download = {
  to: string;
  bytes: number;
  etag: string | null;
  ranges: boolean;
  progress: (bytes: number) => void;
};

/** Answers the sha256 of the whole. What is whole already is not asked for again. */
export async function download(hub: Hub, url: string, wanted: Download): Promise<string> {
  const { to, bytes, etag, progress } = wanted;
  const size = wanted.ranges ? RANGE : Math.max(bytes, 1);
  const count = Math.ceil(bytes / size);
  const whole = readNote(to, { etag, bytes, size });
  const file = await open(to, whole.size > 0 ? "r+" : "w+");
  const lengthOf = (at: number) => Math.min(size, bytes - at * size);
  for (const at of whole) progress(lengthOf(at));
  const left = Array.from({ length: count }, (_, at) => at).filter((at) => !whole.has(at));
  const failed = new AbortController();
  const own: Hub = { ...hub, signal: AbortSignal.any([hub.signal, failed.signal]) };
  const work = async () => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      await fetchRange(own, url, {
        file,
        from: at * size,
        length: lengthOf(at),
        ranged: wanted.ranges,
        progress,
      });
      whole.add(at);
      writeNote(to, { etag, bytes, size }, whole);
    }
  };
  try {
    const workers = Array.from({ length: wanted.ranges ? SIDE_BY_SIDE : 1 }, work);
    const hash = follow(file, { count, lengthOf, size, isWhole: (at) => whole.has(at), signal: own.signal });
    hash.catch(() => {});
    await Promise.all(workers).catch((reason) => {
      failed.abort(reason);
      throw reason;
    });
    return await hash;
  } finally {
    failed.abort();
    await file.close();
  }
}

export function forget(to: string): void {
  rmSync(to, { force: true });
  rmSync(`${to}.note`, { force: true });
}

type Range = {
  file: FileHandle;
  from: number;
  length: number;
  ranged: boolean;
  progress: (bytes: number) => void;
};

/** A try goes on where the last one broke off. */
async function fetchRange(
  hub: Hub,
  url: string,
  { file, from, length, ranged, progress }: Range,
): Promise<void> {
  let done = 0;
  await tried(hub, url, async () => {
    if (!ranged && done > 0) {
      progress(-done);
      done = 0;
    }
    const headers: Record<string, string> = ranged
      ? { range: `bytes=${from + done}-${from + length - 1}` }
      : {};
    const response = await within(hub.idleMs, reach(hub, url, { asked: { headers, signal: hub.signal } }));
    checkStatus(response, url);
    if (ranged && response.status !== 206)
      throw new ModelStoreError(`${url} does not keep to the range it was asked for.`);
    for await (const chunk of chunksOf(response, hub)) {
      const room = chunk.subarray(0, length - done);
      await file.write(room, 0, room.length, from + done);
      done += room.length;
      progress(room.length);
      if (chunk.length > room.length) throw new ModelStoreError(`${url} sends more than it said.`);
    }
    if (done < length) throw new Error(`broke off after ${done} of ${length} bytes`);
  });
}

async function* chunksOf(response: Response, { idleMs }: Hub): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { value, done } = await within(idleMs, reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`said nothing for ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const timeouts = ({ signal, idleMs }: Hub) => AbortSignal.any([signal, AbortSignal.timeout(idleMs)]);

/** A status that asking again may mend, and when the hub says to ask. */
class ComeAgain extends Error {
  readonly afterMs: number | null;
  constructor(message: string, afterMs: number | null) {
    super(message);
    this.afterMs = afterMs;
  }
}

function checkStatus(response: Response, url: string): void {
  const { status, headers } = response;
  if (status < 300) return;
  if (status === 429 || status >= 500) {
    const seconds = wholeNumber(headers.get("retry-after"));
    throw new ComeAgain(`answered ${status}`, seconds === null ? null : seconds * 1000);
  }
  const why =
    status === 401 || status === 403 ? "asks who you are: it may be closed to you" : `answered ${status}`;
  throw new ModelStoreError(`${url} ${why}.`);
}

async function tried<T>(hub: Hub, url: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    hub.signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (error instanceof ModelStoreError || diskFailure(error) || hub.signal.aborted) throw error;
      if (attempt === TRIES)
        throw new ModelStoreError(`${url} cannot be had: it ${reasonOf(error)}. Try again later.`);
      const told = error instanceof ComeAgain ? error.afterMs : null;
      await pause(told ?? hub.backoffMs * 2 ** (attempt - 1), undefined, { signal: hub.signal });
    }
  }
}

const reasonOf = (error: unknown) => {
  const { message, name } = error as Error;
  if (name === "TimeoutError") return "said nothing for too long";
  return /^(answered|broke off|said nothing)/.test(message) ? message : `failed (${message})`;
};

type Following = {
  count: number;
  size: number;
  lengthOf: (at: number) => number;
  isWhole: (at: number) => boolean;
  signal: AbortSignal;
};

const LOOK_MS = 5;

/** The hash of it all, range by range as each in its turn is whole. */
async function follow(
  file: FileHandle,
  { count, size, lengthOf, isWhole, signal }: Following,
): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(Math.min(size, HASHED));
  for (let at = 0; at < count; at++) {
    while (!isWhole(at)) {
      signal.throwIfAborted();
      await Bun.sleep(LOOK_MS);
    }
    for (let from = 0; from < lengthOf(at); ) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(
        buffer,
        0,
        Math.min(buffer.length, lengthOf(at) - from),
        at * size + from,
      );
      hash.update(buffer.subarray(0, bytesRead));
      from += bytesRead;
    }
  }
  return hash.digest("hex");
}

type Content = { etag: string | null; bytes: number; size: number };

/** Which ranges of this content are whole; none of another, nor of one that cannot be told from another. */
function readNote(to: string, content: Content): Set<number> {
  if (content.etag === null || !existsSync(to) || !existsSync(`${to}.note`)) return new Set();
  try {
    const { whole, ...noted } = JSON.parse(readFileSync(`${to}.note`, "utf8"));
    return new Set(Bun.deepEquals(noted, content) ? (whole as number[]) : []);
  } catch {
    return new Set();
  }
}

function writeNote(to: string, content: Content, whole: Set<number>): void {
  writeFileSync(`${to}.note`, JSON.stringify({ ...content, whole: [...whole] }));
}
