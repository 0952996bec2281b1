/**
 * Reads request bodies with a size limit and timeouts. A body that announces too large a size is not buffered at all,
 * and never more than the limit. The rest of a refused body is discarded.
 */

import { parseJson } from "../../../bounded-json.ts";
import { withTimeout } from "../../../clock.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import { free, Gathered } from "../../../memory/spool.ts";

export type BodyTimeouts = {
  /** The longest silence between two chunks of a body. */
  idleMs: number;
  /** The longest a whole body may take. */
  totalMs: number;
};

export type Reading = { limit: number; tooLarge: () => Refusal; timeouts: BodyTimeouts };

const JSON_LIMIT = 256 * 1024; // 8,000 characters, each escaped as two \uXXXX, and room for the rest

type JsonReading = {
  /** The value of an empty body; if absent, an empty body is malformed. */
  whenEmpty?: object;
  limitBytes?: number;
  /** How long it may be where it says so, in a member of this name. `hold`: the memory of what is longer. */
  longer?: { member: string; limitBytes: number; hold: (sizeBytes: number) => void };
};

export async function readJson(
  request: Request,
  timeouts: BodyTimeouts,
  { whenEmpty, limitBytes = JSON_LIMIT, longer }: JsonReading = {},
): Promise<unknown> {
  const type = mediaTypeOf(request);
  if (type === FORM) throw notJson(type);
  const tooLarge = () => tooLong(limitBytes);
  const limit = longer?.limitBytes ?? limitBytes;
  const gathered = new Gathered();
  await readChunks(request, { limit, tooLarge, timeouts }, (chunk) => {
    gathered.append(chunk);
    if (gathered.sizeBytes > limitBytes) longer!.hold(LONG_HELD * chunk.length);
  });
  const bytes = gathered.bytes();
  if (bytes.length > limitBytes && !bytes.includes(`"${longer!.member}"`)) throw tooLarge();
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  const { value, problem } = parseJson(utf8(bytes));
  if (problem === null) return value;
  throw type === URL_ENCODED ? notJson(type) : malformed("malformed", problem);
}

/** Its bytes, its text, and what it is parsed into. */
const LONG_HELD = 4;

const FORM = "multipart/form-data";
const URL_ENCODED = "application/x-www-form-urlencoded"; // also what curl declares JSON to be, unless given a type

/** Lower case, without parameters. */
export const mediaTypeOf = ({ headers }: Request): string =>
  (headers.get("content-type") ?? "").slice(0, 100).split(";")[0]!.trim().toLowerCase();

const notJson = (type: string) =>
  malformed("malformed", `must be JSON, with Content-Type: application/json, not ${type}`);

/** Reads a body that its route does not use; refuses a large one, so that the rest of it is discarded at the pace of all. */
export async function ignoreBody(request: Request, timeouts: BodyTimeouts): Promise<void> {
  await readChunks(request, { limit: JSON_LIMIT, tooLarge: () => tooLong(JSON_LIMIT), timeouts }, () => {});
}

/** Bun reads the body of such a request itself, at full speed. */
const UNREADABLE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a large body follows that cannot be discarded at a limited rate. */
export const isUnreadable = (request: Request): boolean =>
  UNREADABLE.has(request.method) &&
  (request.headers.has("transfer-encoding") || (announcedBytes(request) ?? 0) > JSON_LIMIT);

/** Null: there is no body, or one of a size that is not known before its end. */
export function announcedBytes({ headers }: Request): number | null {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? null : Number(length);
}

const tooLong = (limitBytes: number) => malformed("too_long", `is larger than ${limitBytes} bytes`);

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("malformed", "is not valid JSON in UTF-8");
  }
}

export async function readBytes(request: Request, reading: Reading): Promise<Buffer<ArrayBuffer>> {
  const gathered = new Gathered();
  await readChunks(request, reading, (chunk) => gathered.append(chunk));
  return gathered.bytes();
}

/** Calls `take` with each chunk, valid until it resolves. An error it throws ends reading. */
export async function readChunks(
  request: Request,
  { limit, tooLarge, timeouts }: Reading,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const encoding = contentEncoding(request);
  if (encoding !== null) throw compressed(encoding);
  if ((announcedBytes(request) ?? 0) > limit) throw tooLarge();
  let sizeBytes = 0;
  await eachChunk(request, timeouts, async (chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > limit) throw tooLarge();
    await take(chunk);
    free(chunk);
  });
}

/** How a body is compressed; null: it is not. */
function contentEncoding({ headers }: Request): string | null {
  const encoding = headers.get("content-encoding")?.slice(0, 100).trim().toLowerCase() ?? "";
  return encoding === "" || encoding === "identity" ? null : encoding;
}

const compressed = (encoding: string) =>
  new Refusal(
    "unsupported_content_encoding",
    `Bodies are not read in Content-Encoding: ${encoding}. Send the body uncompressed.`,
  );

/** A body that cannot be read as what it should be. */
export function malformed(code: "malformed" | "too_long", message: string): Refusal {
  return invalidInput([{ field: "", code, message }]);
}

/**
 * Bun allocates 320 KiB for each stream that is read, however small its body: garbage that is collected every few dozen
 * requests, each time for milliseconds in which nothing is answered. So a body that is announced as small is read at once.
 */
const SMALL_BYTES = 64 * 1024;

async function eachChunk(
  request: Request,
  timeouts: BodyTimeouts,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  if ((announcedBytes(request) ?? Infinity) <= SMALL_BYTES) {
    const bytes = await wholeWithin(request, timeouts);
    if (bytes.length > 0) await take(bytes);
    return;
  }
  for await (const chunk of streamWithin(request, timeouts)) await take(chunk);
}

/** Requests whose small body has arrived: Bun says of those still awaited, too, that their body is used and locked. */
const arrived = new WeakSet<Request>();

/** All of a small body, which has no longer than the silence between two chunks of a large one. */
async function wholeWithin(
  request: Request,
  { idleMs, totalMs }: BodyTimeouts,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await withTimeout(Math.min(idleMs, totalMs), request.bytes(), arrivedLate);
    arrived.add(request);
    return bytes as Uint8Array<ArrayBuffer>;
  } catch (cause) {
    throw cause instanceof Refusal ? cause : endedEarly();
  }
}

const arrivedLate = () => malformed("malformed", "did not arrive in time");
const endedEarly = () => malformed("malformed", "ended before it was complete");

/** One timer for idle time and one for the total, however many chunks arrive. */
async function* streamWithin(
  request: Request,
  { idleMs, totalMs }: BodyTimeouts,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!request.body) return;
  const reader = request.body.getReader();
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    reader.cancel().catch(() => {}); // ends the pending read
  };
  const idle = setTimeout(giveUp, idleMs);
  const total = setTimeout(giveUp, totalMs);
  try {
    for (;;) {
      const step = await reader.read();
      if (isLate) throw arrivedLate();
      if (step.done) return;
      idle.refresh();
      yield step.value;
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw isLate ? arrivedLate() : endedEarly();
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    if (!isLate) reader.releaseLock(); // what is left of it is discarded with the answer
  }
}

const DISCARDED_BYTES_PER_MS = 64 * 1024;
const SILENCE_MS = 2000;

/** Discards the rest of a body; false if it stops arriving, so that the connection must be closed. */
export type Discard = (request: Request) => Promise<boolean>;

/**
 * Discards the bodies of refused requests before they are answered. Bun would read them at full speed, competing with
 * other requests; closing the connection instead would hide the response from many clients. So all of them together are
 * read at a limited rate.
 */
export function openDiscard({ idleMs, totalMs }: BodyTimeouts, pace: Pace): Discard {
  return async (request) => {
    if (arrived.has(request)) return true;
    if (request.body?.locked) return false; // reading was aborted before
    try {
      const timeouts = { idleMs: Math.min(SILENCE_MS, idleMs), totalMs };
      await eachChunk(request, timeouts, async (chunk) => {
        const sizeBytes = chunk.length;
        free(chunk);
        await pace(sizeBytes);
      });
      return true;
    } catch {
      return false;
    }
  };
}

/** Resolves when that many more bytes of refused bodies may be read, across all requests in turn. */
export type Pace = (sizeBytes: number) => Promise<void>;

export function openPace(): Pace {
  let previous = Promise.resolve();
  let owedBytes = 0;
  return async (sizeBytes) => {
    owedBytes += sizeBytes;
    const ms = Math.floor(owedBytes / DISCARDED_BYTES_PER_MS);
    owedBytes -= ms * DISCARDED_BYTES_PER_MS;
    if (ms === 0) return; // small remainders pass without waiting
    previous = previous.then(() => Bun.sleep(ms));
    await previous;
  };
}
