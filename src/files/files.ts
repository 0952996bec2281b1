/**
 * The files of projects: received, listed, read and deleted. A row tells what a file is; its content lies in the storage,
 * encrypted, and is deleted once no row uses it.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { FileOwner, FilePlace, FileRow, openFileRows } from "../db/queries/file-rows.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { FileOwnerPlan } from "./file-limits.ts";
import type { Receive, Receiving } from "./receiving.ts";
import type { SealedParts } from "./sealed-parts.ts";

export const FILE_BYTES_AT_ONCE = 512 * 1024 * 1024;

/** What is said of a file once its content has come. `keptSeconds` null: until it is deleted. */
type NewFile = Pick<FileRow, "purpose" | "filename"> & { keptSeconds: number | null };

/** A file that is being received. Without `finish`, nothing of it is left. */
type IncomingFile = Pick<Receiving, "write"> & AsyncDisposable & { finish(file: NewFile): Promise<FileRow> };

/** Parts by their positions, `to` not among them. `skipBytes`: of the first, which are left out. */
type PartRange = { from: number; to: number; skipBytes?: number };

/** `part`: what is stored already, of so many bytes. */
type SharedFile = NewFile & {
  id: string;
  head: Uint8Array;
  part: { ownerId: string; position: number; bytes: number };
};

export type Files = {
  /** Refuses where there is no room for so many bytes; 0: of unknown size. `id`: that it is to have. */
  receive(owner: FileOwnerPlan, announcedBytes: number, id?: string): Promise<IncomingFile>;
  /**
   * A file that begins with `head`, and goes on with a content that is stored already, which each of both owners deletes without the
   * other. Null where that is gone.
   */
  share(owner: FileOwnerPlan, shared: SharedFile): Promise<FileRow | null>;
  list(owner: FileOwner, place: FilePlace): Promise<FileRow[]>;
  /** What an organization has stored: its files, recordings and speech of jobs, and what is being received. */
  storedBytes(organizationId: string): Promise<number>;
  /** Null where there is none, or it is another project's. */
  find(owner: FileOwner, id: string): Promise<FileRow | null>;
  /** False where there is none any more. Refuses where a job reads it. */
  remove(file: FileRow): Promise<boolean>;
  /** The content of a file, or of what else has one, in pieces of some megabytes. `of`: some of its parts. */
  content(file: Pick<FileRow, "id">, of?: PartRange): AsyncGenerator<Uint8Array>;
};

type FilesDeps = {
  rows: ReturnType<typeof openFileRows>;
  receive: Receive;
  sealed: SealedParts;
  /** Deletes what is unused. Returns at once, never throws. */
  clean: () => void;
  clock: Clock;
  bytesMax: number;
};

export function openFiles(deps: FilesDeps): Files {
  const { rows, receive, sealed, clean, clock, bytesMax } = deps;
  const atOnce = Math.min(FILE_BYTES_AT_ONCE, bytesMax);
  return {
    share: (owner, shared) => share(deps, owner, shared),
    async receive(owner, announcedBytes, id = newId("file", clock)) {
      const content = { ownerId: id, announcedBytes, bytesMax: atOnce, tooLarge: () => fileTooLarge(atOnce) };
      const receiving = await receive(owner, content);
      return {
        write: receiving.write,
        async finish({ purpose, filename, keptSeconds }) {
          const bytes = await receiving.end();
          const row = rowOf(owner, { id, purpose, filename, bytes, keptSeconds, now: unixSeconds(clock) });
          if (!(await rows.add(row, { id: receiving.partId, bytes }))) throw tookTooLong();
          receiving.keep();
          return row;
        },
        [Symbol.asyncDispose]: () => receiving[Symbol.asyncDispose](),
      };
    },
    list: (owner, place) => rows.list(owner, place, unixSeconds(clock)),
    storedBytes: async (organizationId) => (await rows.used(organizationId)).bytes,
    find: (owner, id) => rows.find(owner, id, unixSeconds(clock)),
    async remove(file) {
      const isRemoved = await rows.remove(file.id);
      if (!isRemoved && (await rows.find(file, file.id, 0)) !== null) throw inUse();
      clean();
      return isRemoved;
    },
    async *content({ id }, { from, to, skipBytes = 0 } = ALL) {
      let skipped = skipBytes;
      for (const part of await rows.parts(id)) {
        if (part.position < from || part.position >= to) continue;
        yield* sealed.read(part, skipped);
        skipped = 0;
      }
    },
  };
}

const ALL: PartRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

function rowOf(
  { organizationId, projectId }: FileOwner,
  { keptSeconds, now, ...file }: NewFile & Pick<FileRow, "id" | "bytes"> & { now: number },
): FileRow {
  const expiresAt = keptSeconds === null ? null : now + keptSeconds;
  return { ...file, organizationId, projectId, createdAt: now, expiresAt, readers: 0 };
}

/** Before all positions of what is shared. */
const HEAD = -1;

async function share(
  { rows, receive, clock }: Pick<FilesDeps, "rows" | "receive" | "clock">,
  owner: FileOwnerPlan,
  { head, part, ...file }: SharedFile,
): Promise<FileRow | null> {
  const bytes = head.length + part.bytes;
  const row = rowOf(owner, { ...file, bytes, now: unixSeconds(clock) });
  if (head.length === 0) return (await rows.addShared(row, { part, head: null })) ? row : null;
  const content = { ownerId: row.id, position: HEAD, announcedBytes: head.length, bytesMax: head.length };
  await using receiving = await receive(owner, { ...content, tooLarge: () => fileTooLarge(head.length) });
  await receiving.write(head);
  await receiving.end();
  if (!(await rows.addShared(row, { part, head: { id: receiving.partId, bytes: head.length } }))) return null;
  receiving.keep();
  return row;
}

const MIB = 1024 * 1024;

export const fileTooLarge = (bytesMax: number): Refusal => {
  const message = `The file is larger than ${Math.floor(bytesMax / MIB)} MB. Send it in parts, as an upload.`;
  return new Refusal("file_too_large", message, { param: "file" });
};

const inUse = () =>
  new Refusal("file_in_use", "A job reads this file. Delete it once the job has ended, or cancel the job.");

const tookTooLong = () =>
  new Refusal("service_unavailable", "The file took too long to arrive. Send it again.");
