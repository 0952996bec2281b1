/** Deletes files and uploads that have expired, and the contents that no row uses any more, whatever ended before it could. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { openFileRows } from "../db/queries/file-rows.ts";
import type { openUploadRows } from "../db/queries/upload-rows.ts";
import type { Log } from "../log/log.ts";
import { repeating } from "../one-at-a-time.ts";
import type { SealedParts } from "./sealed-parts.ts";

const EVERY_MS = 60_000;
const AT_ONCE = 100;
/** Longer than a content may take to arrive. */
const RECEIVING_SECONDS = 2 * 3600;
const UPLOADS_KEPT_SECONDS = 30 * 86_400;

export type FileCleaning = AsyncDisposable & {
  /** Resolves when nothing more is to be deleted, or some of it cannot be. Never throws. */
  run(): Promise<void>;
};

type CleaningDeps = {
  files: ReturnType<typeof openFileRows>;
  uploads: ReturnType<typeof openUploadRows>;
  sealed: SealedParts;
  clock: Clock;
  log: Log;
};

export const openFileCleaning = (deps: CleaningDeps): FileCleaning =>
  repeating(
    EVERY_MS,
    async () => {
      await expire(deps);
      for (let count = AT_ONCE; count === AT_ONCE; ) count = await deleteUnused(deps);
    },
    (cause) => deps.log.warn("files_not_deleted", { cause }),
  );

async function expire({ files, uploads, clock }: CleaningDeps): Promise<void> {
  const now = unixSeconds(clock);
  for (const id of await files.expired(now, AT_ONCE)) await files.remove(id);
  for (const id of await uploads.expired(now, AT_ONCE)) await uploads.expire(id);
  await uploads.forget(now - UPLOADS_KEPT_SECONDS, AT_ONCE);
}

/** Returns how many parts it deleted. */
async function deleteUnused({ files, sealed, clock }: CleaningDeps): Promise<number> {
  const parts = await files.unused(unixSeconds(clock) - RECEIVING_SECONDS, AT_ONCE);
  for (const part of parts) await sealed.remove(part);
  await files.deleteParts(parts.map(({ id }) => id));
  return parts.length;
}
