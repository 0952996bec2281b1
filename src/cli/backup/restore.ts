/** `loquat restore`: creates a data directory from a backup, after the ledger in it was verified. */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { BackupError, type BackupManifest } from "../../backup/backup-manifest.ts";
import { readBackup } from "../../backup/read-backup.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { differencesOf, sentenceOf } from "../../ledger/verify.ts";
import { hasDatabase, openStorage, soleServer } from "../../server/storage.ts";
import { asTyped } from "../base/as-typed.ts";
import { addDetails } from "../base/details.ts";
import { printLine, UsageError } from "../base/output.ts";

export function restore(command: Command): void {
  command.argument("<file>", "a file that backup wrote; - is standard input").action(run);
  addDetails(
    command,
    `LOQUAT_DATA must hold no database, and no server may use it. Nothing is changed
unless the backup is whole and its ledger adds up.`,
  );
}

async function run(file: string): Promise<void> {
  const config = readConfig();
  const { folder, url } = config.data;
  if (url !== null)
    throw new ConfigError("DATABASE_URL is set: restore PostgreSQL with pg_restore. See docs/backups.md.");
  if (file !== "-" && !existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  if (hasDatabase(config))
    throw new ConfigError(
      `LOQUAT_DATA: there is a database in ${folder} already. Move that directory away, or set LOQUAT_DATA elsewhere.`,
    );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  using _lock = soleServer(config);
  const staging = mkdtempSync(join(folder, "restore-"));
  try {
    const input = file === "-" ? process.stdin : createReadStream(file);
    const manifest = await readBackup(input, staging);
    const accounts = await verify({ ...config, data: { ...config.data, folder: staging } });
    moveAll(manifest, staging, folder);
    report(manifest, folder, accounts);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Opens the database, which brings it up to date, and recomputes the ledger. Returns the number of accounts. */
async function verify(config: Config): Promise<number> {
  if (!hasDatabase(config)) throw new BackupError("The backup holds no database.");
  await using storage = await openStorage(config);
  const audit = await storage.ledger.audit();
  const [first, ...others] = differencesOf(audit);
  if (first)
    throw new BackupError(
      `The ledger of the backup does not add up, so it was not restored: ${sentenceOf(first)} (${others.length} more)`,
    );
  return audit.accounts.length;
}

/** The database comes last: without it, restore can be run again. */
function moveAll({ files }: BackupManifest, from: string, to: string): void {
  for (const { path } of files.toReversed()) {
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    renameSync(join(from, path), join(to, path));
  }
}

function report({ version, created_at, packages }: BackupManifest, folder: string, accounts: number): void {
  const sum = accounts === 1 ? "1 account adds up" : `${accounts} accounts add up`;
  printLine(`restored  ${folder}, as of ${created_at}, from Loquat ${version}: ${sum}`);
  if (packages.length === 0) return;
  const names = packages.map(({ name }) => name).join(" ");
  printLine(asTyped(`Install its packages with: loquat models pull ${names}`));
}
