/** `loquat backup`: everything but weights in one file, while the server runs. */
import { createWriteStream, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Command } from "@commander-js/extra-typings";
import { version } from "../../../package.json";
import { writeBackup } from "../../backup/write-backup.ts";
import { byteText } from "../../byte-text.ts";
import { systemClock } from "../../clock.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { newestSqliteMigration } from "../../db/open-sqlite.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { hasDatabase } from "../../server/storage.ts";
import { noDatabase } from "../base/context.ts";
import { addDetails } from "../base/details.ts";
import { onInterrupt } from "../base/interrupt.ts";
import { note, UsageError } from "../base/output.ts";

export function backup(command: Command): void {
  command.argument("<file>", "the .tar.gz to write; - is standard output").action(run);
  addDetails(
    command,
    `The server may run meanwhile: every request that was answered before is in the
backup. It holds secrets, such as the hashes of keys and passwords, the first
key and the private key of a certificate. Files in LOQUAT_FILES are left out:
copy them, too. So are weights; restore names the packages to install again.`,
  );
}

async function run(file: string): Promise<void> {
  const config = readConfig();
  if (config.data.url !== null)
    throw new ConfigError("DATABASE_URL is set: back up PostgreSQL with pg_dump. See docs/backups.md.");
  if (!hasDatabase(config)) throw noDatabase(config);
  if (file === "-") {
    if (process.stdout.isTTY) throw new UsageError("Standard output is a terminal. Name a file.");
    using _interrupted = onInterrupt(() => {});
    await write(config, process.stdout);
    return;
  }
  note(`${file}  ${byteText(await backUp(config, file))} of data`);
}

/** Returns the size of what the backup holds. For SQLite only. */
export async function backUp(config: Config, file: string): Promise<number> {
  const partial = `${file}.partial-${process.pid}`;
  using _interrupted = onInterrupt(() => rmSync(partial, { force: true }));
  try {
    const bytes = await write(config, createWriteStream(partial, { flags: "wx", mode: 0o600 }));
    renameSync(partial, file);
    return bytes;
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Returns the size of what it holds. */
async function write({ data, models }: Config, output: Writable): Promise<number> {
  const packages = openModelStore(models.weights)
    .list()
    .map(({ package: { name, version } }) => ({ name, version }));
  const content = {
    version,
    created_at: new Date(systemClock.now()).toISOString(),
    schema: newestSqliteMigration(),
    packages,
  };
  const { files } = await writeBackup(data.folder, content, output);
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
