/**
 * Writes a backup while the server runs: a copy of the database as of one moment, the first key, mails and certificates in
 * the data directory, and the list of installed packages. Every request that was answered before it began is in it.
 *
 *   backup.json · loquat.db · first-key · mail/… · tls/…     as .tar.gz
 */
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { SQLITE_FILE } from "../db/open-sqlite.ts";
import { copySqlite } from "../db/sqlite-file.ts";
import { OperatorError } from "../errors.ts";
import { lackOfSpace } from "../models/store/disk-space.ts";
import { hashOf } from "../models/store/store-writer.ts";
import { type BackupManifest, MANIFEST_NAME } from "./backup-manifest.ts";

type Content = Pick<BackupManifest, "version" | "created_at" | "schema" | "packages">;

/** `folder`: the data directory. */
export async function writeBackup(
  folder: string,
  content: Content,
  output: Writable,
): Promise<BackupManifest> {
  requireRoom(folder);
  const copies = mkdtempSync(join(folder, "backup-"));
  const remove = () => rmSync(copies, { recursive: true, force: true });
  process.once("exit", remove); // as where what reads the output has gone
  try {
    const database = join(copies, SQLITE_FILE);
    copySqlite(join(folder, SQLITE_FILE), database);
    const files = [{ path: SQLITE_FILE, from: database }, ...otherFiles(folder)];
    const listed = await Promise.all(
      files.map(async ({ path, from }) => ({ path, bytes: statSync(from).size, sha256: await hashOf(from) })),
    );
    const manifest: BackupManifest = { format: "loquat-backup/1", ...content, files: listed };
    const tar = pack();
    const written = pipeline(tar, createGzip(), output);
    tar.entry({ name: MANIFEST_NAME, mode: 0o600 }, `${JSON.stringify(manifest, null, 2)}\n`);
    for (const [index, { path, bytes }] of listed.entries())
      await pipeline(
        createReadStream(files[index]!.from),
        tar.entry({ name: path, size: bytes, mode: 0o600 }),
      );
    tar.finalize();
    await written;
    return manifest;
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Refuses before anything is copied. */
function requireRoom(folder: string): void {
  const parts = [SQLITE_FILE, `${SQLITE_FILE}-wal`].map((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false }),
  );
  const neededBytes = parts.reduce((sum, part) => sum + (part?.size ?? 0), 0);
  const lack = lackOfSpace(folder, neededBytes);
  if (lack !== null) throw new OperatorError(`${lack} Free some space for a copy of the database.`);
}

/** Written once each, so they need no copy. */
function otherFiles(folder: string): { path: string; from: string }[] {
  const inside = ["mail", "tls"].flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((file) => `${name}/${file}`) : [],
  );
  return ["first-key", ...inside]
    .map((path) => ({ path, from: join(folder, path) }))
    .filter(({ from }) => existsSync(from));
}
