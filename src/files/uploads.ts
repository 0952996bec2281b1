/**
 * Files that are sent in parts, in any order and some at once, so that each can be sent again.
 *
 *   create ──> parts ──complete──> a file of some of them, in the order that is named
 *                 └──cancel, or a day later──> deleted
 */
import { createHash } from "node:crypto";
import { type Clock, unixSeconds } from "../clock.ts";
import type { FileOwner, FilePartRow, FileRow, openFileRows } from "../db/queries/file-rows.ts";
import type { openUploadRows, UploadRow } from "../db/queries/upload-rows.ts";
import { invalidInput, Refusal, unavailableOnError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Allowance } from "../limits/allowance.ts";
import { type FileOwnerPlan, requireStorable } from "./file-limits.ts";
import type { Receive, Receiving } from "./receiving.ts";
import type { SealedParts } from "./sealed-parts.ts";

const UPLOAD_SECONDS = 86_400;
const UPLOADS_MAX = 100;
export const PART_BYTES = 64 * 1024 * 1024;

type NewUpload = Pick<UploadRow, "purpose" | "filename" | "bytes" | "mimeType" | "keptSeconds">;

export type Part = Pick<FilePartRow, "id" | "createdAt"> & { uploadId: string };

type IncomingPart = Pick<Receiving, "write"> & AsyncDisposable & { finish(): Promise<Part> };

export type Uploads = {
  /** That a file may have. */
  bytesMax: number;
  partTooLarge(): Refusal;
  create(owner: FileOwnerPlan, upload: NewUpload): Promise<UploadRow>;
  /** Null where there is none, or it is another project's. */
  find(owner: FileOwner, id: string): Promise<UploadRow | null>;
  /** Refuses where the upload has ended. */
  receive(owner: FileOwnerPlan, upload: UploadRow, announcedBytes: number): Promise<IncomingPart>;
  /** Of one that is completed already, what it was completed to. */
  complete(upload: UploadRow, given: { partIds: string[]; md5: string | null }): Promise<Completed>;
  cancel(upload: UploadRow): Promise<UploadRow>;
};

/** `file` null: it has been deleted since. */
type Completed = { upload: UploadRow; file: FileRow | null };

type UploadsDeps = {
  files: ReturnType<typeof openFileRows>;
  rows: ReturnType<typeof openUploadRows>;
  receive: Receive;
  sealed: SealedParts;
  allowance: Allowance;
  /** Deletes what is unused. Returns at once, never throws. */
  clean: () => void;
  clock: Clock;
  bytesMax: number;
};

export function openUploads(deps: UploadsDeps): Uploads {
  const { files, rows, allowance, clean, clock, bytesMax } = deps;
  return {
    bytesMax,
    partTooLarge,
    async create(owner, upload) {
      const { organizationId, projectId } = owner;
      const { storedBytes } = await allowance(owner);
      requireStorable(await files.used(organizationId), storedBytes, upload.bytes);
      if ((await rows.pending(organizationId)) >= UPLOADS_MAX) throw tooManyUploads();
      const now = unixSeconds(clock);
      const row: UploadRow = {
        ...{ id: newId("upload", clock), organizationId, projectId, ...upload, fileId: null },
        ...{ status: "pending", createdAt: now, expiresAt: now + UPLOAD_SECONDS },
      };
      await rows.add(row);
      return row;
    },
    find: (owner, id) => rows.find(owner, id),
    receive: (owner, upload, announcedBytes) => receivePart(deps, { owner, upload, announcedBytes }),
    complete: (upload, given) => complete(deps, upload, given),
    async cancel(upload) {
      if (!(await rows.cancel(upload.id))) throw hasEnded((await rows.find(upload, upload.id)) ?? upload);
      clean();
      return { ...upload, status: "cancelled" };
    },
  };
}

type PartCall = { owner: FileOwnerPlan; upload: UploadRow; announcedBytes: number };

async function receivePart(
  { rows, receive, clock }: UploadsDeps,
  { owner, upload, announcedBytes }: PartCall,
): Promise<IncomingPart> {
  requirePending(upload, clock);
  const content = { ownerId: upload.id, announcedBytes, bytesMax: PART_BYTES, tooLarge: partTooLarge };
  const receiving = await receive(owner, content);
  return {
    write: receiving.write,
    async finish() {
      const bytes = await receiving.end();
      const part = { id: receiving.partId, bytes };
      if (!(await rows.addPart(upload.id, part)))
        throw hasEnded((await rows.find(upload, upload.id)) ?? upload);
      receiving.keep();
      return { id: part.id, createdAt: unixSeconds(clock), uploadId: upload.id };
    },
    [Symbol.asyncDispose]: () => receiving[Symbol.asyncDispose](),
  };
}

async function complete(
  deps: UploadsDeps,
  upload: UploadRow,
  { partIds, md5 }: { partIds: string[]; md5: string | null },
): Promise<Completed> {
  const { files, rows, clean, clock } = deps;
  const now = unixSeconds(clock);
  if (upload.status === "completed") return completed(deps, upload);
  requirePending(upload, clock);
  const parts = partsNamed(await files.parts(upload.id), partIds);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes !== upload.bytes)
    throw invalidInput([
      {
        ...{ field: "part_ids", code: "out_of_range" },
        message: `names parts of ${bytes} bytes together, but the upload was created with ${upload.bytes}`,
      },
    ]);
  if (md5 !== null) await requireMd5(deps.sealed, parts, md5);
  const { organizationId, projectId, purpose, filename, keptSeconds } = upload;
  const file: FileRow = {
    ...{ id: newId("file", clock), organizationId, projectId, purpose, filename, bytes, createdAt: now },
    ...{ expiresAt: keptSeconds === null ? null : now + keptSeconds, readers: 0 },
  };
  const isOurs = await rows.complete(upload.id, { file, partIds });
  clean();
  if (isOurs) return { upload: { ...upload, status: "completed", fileId: file.id }, file };
  const since = (await rows.find(upload, upload.id)) ?? upload;
  if (since.status !== "completed") throw hasEnded(since);
  return completed(deps, since);
}

async function completed({ files, clock }: UploadsDeps, upload: UploadRow): Promise<Completed> {
  return { upload, file: await files.find(upload, upload.fileId ?? "", unixSeconds(clock)) };
}

/** In the order that they are named. */
function partsNamed(parts: readonly FilePartRow[], partIds: readonly string[]): FilePartRow[] {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const wrong = (message: string) => invalidInput([{ field: "part_ids", code: "not_one_of", message }]);
  return partIds.map((id) => {
    const part = byId.get(id);
    if (!part) throw wrong(`names ${id}, which is no part of the upload, or names it twice`);
    byId.delete(id);
    return part;
  });
}

async function requireMd5(sealed: SealedParts, parts: FilePartRow[], md5: string): Promise<void> {
  const hash = createHash("md5");
  for (const part of parts)
    await unavailableOnError(
      "The storage of files",
      (async () => {
        for await (const bytes of sealed.read(part)) hash.update(bytes);
      })(),
    );
  const found = hash.digest("hex");
  if (found === md5.toLowerCase()) return;
  throw invalidInput([{ field: "md5", code: "not_one_of", message: `is not that of the parts, ${found}` }]);
}

function requirePending(upload: UploadRow, clock: Clock): void {
  if (upload.status !== "pending") throw hasEnded(upload);
  if (upload.expiresAt <= unixSeconds(clock)) throw hasEnded({ status: "expired" });
}

const hasEnded = ({ status }: Pick<UploadRow, "status">) =>
  new Refusal("upload_ended", `The upload is ${status}. Create another one.`);

const tooManyUploads = () =>
  new Refusal(
    "too_many_files",
    `Your organization has ${UPLOADS_MAX} uploads that are not completed, which is as many as it may have. Cancel some first.`,
  );

const MIB = 1024 * 1024;
const partTooLarge = () =>
  new Refusal("file_too_large", `The part is larger than ${PART_BYTES / MIB} MB.`, { param: "data" });
