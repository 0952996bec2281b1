/** The data directory: it is made, and must be writable, before anything in it is opened. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { SQLITE_FILE } from "../../db/open-sqlite.ts";

const { R_OK, W_OK, X_OK } = constants;

/** Throws a `ConfigError` that says what to change. */
export function requireDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, R_OK | W_OK | X_OK);
    const database = join(folder, SQLITE_FILE);
    if (existsSync(database)) accessSync(database, R_OK | W_OK);
  } catch (error) {
    throw new ConfigError(
      `LOQUAT_DATA: ${folder} cannot be written by ${whoRuns()}: ${(error as Error).message}. ` +
        "Give the directory and its files to that user, or set LOQUAT_DATA to another one.",
    );
  }
}

const whoRuns = () => (process.getuid ? `user ${process.getuid()}` : "this user");
