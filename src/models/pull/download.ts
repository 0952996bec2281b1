/**
 * Downloads one file in ranges, and resumes where an earlier download stopped.
 *
 *   ▒▒▒▒▒▒▒▒░░░░▒▒▒▒░░░░      ranges in parallel, each retried; the hash is computed in order behind them
 *
 * A note beside the file lists the ranges that are complete, and of which content; other content starts again. A source
 * that ignores ranges is read as one.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { withTimeout } from "../../clock.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { type Declared, get, type Hub, unlessSilent } from "./hub.ts";
import { CompleteRanges, hashRanges, type Ranges } from "./range-hash.ts";
import { retry } from "./retry.ts";

const RANGE_BYTES = 8 * 1024 * 1024;
const RANGES_AT_ONCE = 4;
const BYTES_PER_SECOND_MIN = 512; // of one connection

type Download = {
  to: string;
  bytes: number;
  /** Null: known when it was downloaded. */
  sha256: string | null;
  /** What identifies the content for a resumed download; null: it cannot be resumed. */
  etag: string | null;
  /** Called with the bytes that arrived; negative where they are discarded. */
  progress: (bytes: number) => void;
  /** Called with what the source declares beside the bytes. */
  declared?: (declared: Declared) => void;
};

/** The source answers a request for a range with the whole file. */
class RangesIgnored extends ModelStoreError {}

/** Returns the SHA-256 of the file. Ranges that are complete already are not requested again. */
export async function download(hub: Hub, url: string, target: Download): Promise<string> {
  let counted = 0;
  const progress = (bytes: number) => {
    counted += bytes;
    target.progress(bytes);
  };
  try {
    return await downloadRanges(hub, url, { ...target, progress, ranged: true });
  } catch (error) {
    if (!(error instanceof RangesIgnored)) throw error;
    progress(-counted);
    return await downloadRanges(hub, url, { ...target, progress, ranged: false });
  }
}

async function downloadRanges(
  hub: Hub,
  url: string,
  target: Download & { ranged: boolean },
): Promise<string> {
  const { to, bytes, etag, progress, ranged } = target;
  const size = ranged ? RANGE_BYTES : Math.max(bytes, 1);
  const ranges: Ranges = { bytes, size, count: Math.ceil(bytes / size) };
  const content: Content = { etag, bytes, size };
  const complete = new CompleteRanges(readNote(to, content));
  const file = await open(to, complete.indexes.size > 0 ? "r+" : "w+");
  const lengthOf = (index: number) => Math.min(size, bytes - index * size);
  for (const index of complete.indexes) progress(lengthOf(index));
  const missing = Array.from({ length: ranges.count }, (_, index) => index).filter(
    (index) => !complete.indexes.has(index),
  );
  const failed = new AbortController();
  const rangeHub: Hub = { ...hub, signal: AbortSignal.any([hub.signal, failed.signal]) };
  const fetchRanges = async () => {
    for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
      await fetchRange(rangeHub, url, { ...target, file, from: index * size, length: lengthOf(index) });
      complete.add(index);
      writeNote(to, content, complete.indexes);
    }
  };
  try {
    const fetching = Array.from({ length: ranged ? RANGES_AT_ONCE : 1 }, fetchRanges);
    const hash = hashRanges(file, ranges, { complete, signal: rangeHub.signal });
    hash.catch(() => {}); // reported by whichever range failed
    await Promise.all(fetching).catch(async (reason) => {
      failed.abort(reason);
      await Promise.allSettled(fetching);
      throw reason;
    });
    return await hash;
  } finally {
    failed.abort();
    await file.close();
  }
}

/** Removes a partial download and its note. */
export function discard(to: string): void {
  rmSync(to, { force: true });
  rmSync(`${to}.note`, { force: true });
}

type Range = Download & { file: FileHandle; from: number; length: number; ranged: boolean };

/** An attempt continues where the one before it broke off. */
async function fetchRange(hub: Hub, url: string, target: Range): Promise<void> {
  const { file, from, length, ranged, progress } = target;
  let done = 0;
  const attempt = async () => {
    if (!ranged && done > 0) {
      progress(-done);
      done = 0;
    }
    const range = ranged ? { from: from + done, to: from + length - 1 } : null;
    const { response, declared } = await get(hub, url, range);
    checkDeclared(target, declared, url);
    target.declared?.(declared);
    if (ranged && response.status !== 206) {
      await response.body?.cancel();
      throw new RangesIgnored();
    }
    for await (const chunk of chunksOf(response, hub)) {
      const fitting = chunk.subarray(0, length - done);
      await file.write(fitting, 0, fitting.length, from + done);
      done += fitting.length;
      progress(fitting.length);
      if (chunk.length > fitting.length)
        throw new ModelStoreError(`${url} sends more bytes than it declares.`);
    }
    if (done < length) throw new Error(`connection closed after ${done} of ${length} bytes`);
  };
  await unlessSilent(hub, url, () => retry(hub, url, attempt));
}

/** What the source declares must be what is expected. */
export function checkDeclared(
  expected: { bytes: number | null; sha256: string | null },
  { bytes, sha256 }: Declared,
  url: string,
): void {
  const refuse = (what: string) => new ModelStoreError(`${url} is not the expected file: ${what}.`);
  if (expected.sha256 !== null && sha256 !== null && sha256 !== expected.sha256)
    throw refuse(`its hash is ${sha256}, not ${expected.sha256}`);
  if (expected.bytes !== null && bytes !== null && bytes !== expected.bytes)
    throw refuse(`it has ${bytes} bytes, not ${expected.bytes}`);
}

/** Fails where nothing comes for `idleMs`, and where less comes in that time than the slowest network brings. */
async function* chunksOf(response: Response, { idleMs }: Hub): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  let [sinceMs, received] = [performance.now(), 0];
  try {
    for (;;) {
      const { value, done } = await withTimeout(idleMs, reader.read());
      if (done) return;
      received += value.length;
      yield value;
      const passedMs = performance.now() - sinceMs;
      if (passedMs < idleMs) continue;
      if (received < (BYTES_PER_SECOND_MIN * passedMs) / 1000)
        throw new Error(`fewer than ${BYTES_PER_SECOND_MIN} bytes a second`);
      [sinceMs, received] = [performance.now(), 0];
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

type Content = { etag: string | null; bytes: number; size: number };

/** Ranges of this content that are complete; none where the content changed or has no ETag to compare. */
function readNote(to: string, content: Content): Set<number> {
  if (content.etag === null || !existsSync(to) || !existsSync(`${to}.note`)) return new Set();
  try {
    const { whole, ...noted } = JSON.parse(readFileSync(`${to}.note`, "utf8"));
    return new Set(Bun.deepEquals(noted, content) ? (whole as number[]) : []);
  } catch {
    return new Set();
  }
}

function writeNote(to: string, content: Content, whole: ReadonlySet<number>): void {
  writeFileSync(`${to}.note`, JSON.stringify({ ...content, whole: [...whole] }));
}
