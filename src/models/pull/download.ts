/**
 * Downloads one file in ranges, and resumes where an earlier download stopped.
 *
 *   ▒▒▒▒▒▒▒▒░░░░▒▒▒▒░░░░      ranges in parallel, each retried; the hash is computed in order behind them
 *
 * A note beside the file lists the ranges that are complete, and of which content; other content starts again.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ModelStoreError } from "../store/store-error.ts";
import { get, type Hub } from "./hub.ts";
import { CompleteRanges, hashRanges, type Ranges } from "./range-hash.ts";
import { retry, withTimeout } from "./retry.ts";

const RANGE_BYTES = 8 * 1024 * 1024;
const RANGES_AT_ONCE = 4;

type Download = {
  to: string;
  bytes: number;
  etag: string | null;
  /** False: the hub serves the whole file only. */
  ranges: boolean;
  /** Called with the bytes that arrived; negative where they are discarded. */
  progress: (bytes: number) => void;
};

/** Returns the SHA-256 of the file. Ranges that are complete already are not requested again. */
export async function download(hub: Hub, url: string, wanted: Download): Promise<string> {
  const { to, bytes, etag, progress } = wanted;
  const size = wanted.ranges ? RANGE_BYTES : Math.max(bytes, 1);
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
  const own: Hub = { ...hub, signal: AbortSignal.any([hub.signal, failed.signal]) };
  const fetchRanges = async () => {
    for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
      const range = { file, from: index * size, length: lengthOf(index), ranged: wanted.ranges, progress };
      await fetchRange(own, url, range);
      complete.add(index);
      writeNote(to, content, complete.indexes);
    }
  };
  try {
    const fetching = Array.from({ length: wanted.ranges ? RANGES_AT_ONCE : 1 }, fetchRanges);
    const hash = hashRanges(file, ranges, { complete, signal: own.signal });
    hash.catch(() => {}); // reported by whichever range failed
    await Promise.all(fetching).catch((reason) => {
      failed.abort(reason);
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

type Range = Pick<Download, "progress"> & {
  file: FileHandle;
  from: number;
  length: number;
  ranged: boolean;
};

/** An attempt continues where the one before it broke off. */
async function fetchRange(
  hub: Hub,
  url: string,
  { file, from, length, ranged, progress }: Range,
): Promise<void> {
  let done = 0;
  await retry(hub, url, async () => {
    if (!ranged && done > 0) {
      progress(-done);
      done = 0;
    }
    const response = await get(
      hub,
      url,
      ranged ? { range: `bytes=${from + done}-${from + length - 1}` } : {},
    );
    if (ranged && response.status !== 206)
      throw new ModelStoreError(`${url} ignores the range of the request.`);
    for await (const chunk of chunksOf(response, hub)) {
      const fitting = chunk.subarray(0, length - done);
      await file.write(fitting, 0, fitting.length, from + done);
      done += fitting.length;
      progress(fitting.length);
      if (chunk.length > fitting.length)
        throw new ModelStoreError(`${url} sends more bytes than it declares.`);
    }
    if (done < length) throw new Error(`connection closed after ${done} of ${length} bytes`);
  });
}

async function* chunksOf(response: Response, { idleMs }: Hub): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { value, done } = await withTimeout(idleMs, reader.read());
      if (done) return;
      yield value;
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
