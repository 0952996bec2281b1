/** The files of this server: where they are kept, what may be stored, and what deletes them. */

import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { openEncryption, serverSecrets } from "../db/encryption.ts";
import { openFileRows } from "../db/queries/file-rows.ts";
import { openUploadRows } from "../db/queries/upload-rows.ts";
import { openFileCleaning } from "../files/file-cleaning.ts";
import { type FileStorage, takeStorage } from "../files/file-storage.ts";
import { type Files, openFiles } from "../files/files.ts";
import { openFolderStorage } from "../files/folder-storage.ts";
import { openReceive, type Receive } from "../files/receiving.ts";
import { firstPieceOf, openSealedParts } from "../files/sealed-parts.ts";
import { openUploads, type Uploads } from "../files/uploads.ts";
import type { Allowance } from "../limits/allowance.ts";
import type { Log } from "../log/log.ts";
import type { Storage } from "./storage.ts";

export type OwnFiles = AsyncDisposable & {
  files: Files;
  uploads: Uploads;
  /** Of what is no file, such as the recording of a job. */
  receiveContent: Receive;
  /** Deletes what has expired and what is unused. */
  cleanFiles(): Promise<void>;
};

type OwnFilesDeps = Pick<Storage, "database" | "accounts"> & {
  allowance: Allowance;
  clock: Clock;
  log: Log;
};

/** The storage that is configured. Bun's client of S3 is loaded where it is used. */
export async function openFileStorage({ files: { place } }: Pick<Config, "files">): Promise<FileStorage> {
  if ("folder" in place) return openFolderStorage(place.folder);
  return (await import("../files/bucket-storage.ts")).openBucketStorage(place);
}

/** Known to nodes of the database only, and no secret itself. */
export async function installationId(
  accounts: Pick<Storage["accounts"], "installationSecret">,
): Promise<string> {
  const secret = await accounts.installationSecret();
  return createHash("sha256").update(`installation ${secret}`).digest("hex").slice(0, 32);
}

/** The name of an object that must be in the storage; null: nothing is stored. */
export async function newestPart(database: Storage["database"]): Promise<string | null> {
  const id = await openFileRows(database).newestPart();
  return id && firstPieceOf(id);
}

export async function openOwnFiles(
  config: Config,
  { database, accounts, allowance, clock, log }: OwnFilesDeps,
): Promise<OwnFiles> {
  const { bytesMax } = config.files;
  const storage = await openFileStorage(config);
  const secrets = serverSecrets(config.identity, accounts);
  const sealed = openSealedParts(storage, openEncryption("loquat files", secrets));
  const rows = openFileRows(database);
  const uploadRows = openUploadRows(database);
  const cleaning = openFileCleaning({ files: rows, uploads: uploadRows, sealed, clock, log });
  const ready = once(async () => takeStorage(storage, await installationId(accounts)));
  const receive = openReceive({ rows, sealed, storage, ready, allowance, clock, log });
  const clean = () => void cleaning.run();
  return {
    files: openFiles({ rows, receive, sealed, clean, clock, bytesMax }),
    uploads: openUploads({
      ...{ files: rows, rows: uploadRows, receive, sealed, allowance, clean, clock, bytesMax },
    }),
    receiveContent: receive,
    cleanFiles: cleaning.run,
    [Symbol.asyncDispose]: () => cleaning[Symbol.asyncDispose](),
  };
}

/** Until it succeeds. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work().catch((cause: unknown) => {
      done = null;
      throw cause;
    });
    return done;
  };
}
