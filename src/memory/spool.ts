/** Bytes that are collected before they are used: in one buffer, or in memory up to a size and then in a file. */

import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { unavailableOnError } from "../errors.ts";

const ANNOUNCED_FROM_BYTES = 256 * 1024;

/** Frees a buffer's memory at once instead of at the next garbage collection; views of it become empty. */
export function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}

/**
 * Bytes that arrive in chunks, collected in one buffer: sized as the first chunk, then as announced, then doubling.
 * Announced memory costs nothing until it is written to.
 */
export class Gathered {
  readonly #announcedBytes: number;
  #room: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #sizeBytes = 0;

  constructor(announcedBytes = 0) {
    this.#announcedBytes = announcedBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(bytes: Uint8Array): void {
    const needed = this.#sizeBytes + bytes.length;
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(this.#roomFor(needed));
      this.#room.copy(larger, 0, 0, this.#sizeBytes);
      this.#room = larger;
    }
    this.#room.set(bytes, this.#sizeBytes);
    this.#sizeBytes = needed;
  }

  #roomFor(needed: number): number {
    const isAnnounced = needed >= ANNOUNCED_FROM_BYTES && needed <= this.#announcedBytes;
    return isAnnounced ? this.#announcedBytes : Math.max(needed, 2 * this.#room.length);
  }

  /** A view, not a copy. */
  bytes(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#sizeBytes) as Buffer<ArrayBuffer>;
  }

  /** Frees the buffer: views of it become empty. */
  clear(): void {
    if (this.#room.length > 0) free(this.#room);
    this.#room = Buffer.alloc(0);
    this.#sizeBytes = 0;
  }
}

export type Spool = { open(): Spooled };

export type Spooled = {
  /** At once while all bytes are in memory. */
  append(bytes: Uint8Array): void | Promise<void>;
  /** Replaces the first bytes. */
  patch(bytes: Uint8Array): Promise<void>;
  sizeBytes(): number;
  /** All bytes, if they are still in memory. */
  whole(): Buffer<ArrayBuffer> | null;
  /** A copy of a range, in its own buffer. */
  read(offset: number, sizeBytes: number): Promise<Buffer<ArrayBuffer>>;
  /** All bytes in order; closes the spool at the end, or when the reader stops. */
  chunks(): AsyncGenerator<Uint8Array, null>;
  close(): Promise<void>;
};

const MEMORY_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * The file is unlinked at once, so that nothing is left however the process ends.
 *
 * Creates the folder on first use.
 */
export function openSpool(folder: string): Spool {
  let opened = 0;
  const openFile = async (): Promise<FileHandle> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${process.pid}-${opened++}`);
    const file = await open(path, "wx+", 0o600);
    await unlink(path);
    return file;
  };
  return { open: () => openSpooled(openFile) };
}

function openSpooled(openFile: () => Promise<FileHandle>): Spooled {
  const memory = new Gathered();
  let file: FileHandle | null = null;
  let sizeBytes = 0;
  const read = async (offset: number, lengthBytes: number) => {
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(lengthBytes, sizeBytes - offset)));
    if (file === null) memory.bytes().copy(bytes, 0, offset);
    else await readAll(file, bytes, offset);
    return bytes as Buffer<ArrayBuffer>;
  };
  const write = async (bytes: Uint8Array) => {
    file ??= await moved(memory, openFile);
    await writeAll(file, bytes, sizeBytes);
    sizeBytes += bytes.length;
  };
  const close = async () => {
    const ended = file;
    file = null;
    await ended?.close();
  };
  return {
    read,
    close,
    sizeBytes: () => sizeBytes,
    whole: () => (file === null ? memory.bytes() : null),
    append(bytes) {
      if (file !== null || sizeBytes + bytes.length > MEMORY_BYTES)
        return unavailableOnError("The disk", write(bytes));
      memory.append(bytes);
      sizeBytes += bytes.length;
    },
    async patch(bytes) {
      if (file === null) memory.bytes().set(bytes, 0);
      else await writeAll(file, bytes, 0);
    },
    async *chunks() {
      try {
        for (let offset = 0; offset < sizeBytes; offset += CHUNK_BYTES) yield await read(offset, CHUNK_BYTES);
        return null;
      } finally {
        await close();
      }
    },
  };
}

async function moved(memory: Gathered, openFile: () => Promise<FileHandle>): Promise<FileHandle> {
  const file = await openFile();
  await writeAll(file, memory.bytes(), 0);
  memory.clear();
  return file;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

async function readAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done);
    if (bytesRead === 0) throw new Error("a spooled file is shorter than what was written to it");
    done += bytesRead;
  }
}
