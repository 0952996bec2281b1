/**
 * Programs and packages that only some tests need: Node.js where it is, and packages that are
 * installed on their first run into separate folders, because their dependencies are large and of other versions than
 * ours. Where one is missing, those tests are skipped.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of Node.js, or null: `bun run` puts a link to Bun under its name into the PATH. */
export function nodePath(): string | null {
  const path = Bun.which("node");
  if (!path) return null;
  const { stdout } = Bun.spawnSync([path, "-p", "process.versions.bun"]);
  return stdout.toString().trim() === "undefined" ? path : null;
}

const CACHE = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
const INSTALL_MS = 50_000;

export type Tools = {
  isInstalled: boolean;
  /** For the titles of tests: why they are skipped, or nothing. */
  unless: string;
  /** Has `node_modules`. */
  folder: string;
  /** The path of a file of the packages. */
  at(path: string): string;
};

/** `packages` with their versions, as in "openai@7.57.0"; another list is another folder. */
export function installTools(...packages: string[]): Tools {
  const folder = join(CACHE, `loquat-${Bun.hash(packages.join()).toString(36)}`);
  const isInstalled = existsSync(folder) || install(packages, folder);
  const unless = isInstalled ? "" : ` (skipped: ${packages[0]} could not be installed)`;
  return { isInstalled, unless, folder, at: (path) => join(folder, "node_modules", path) };
}

/** A registry that did not respond in time is not asked again. */
let isReachable = true;

/** The folder appears when it is whole: another process may be installing the same. */
function install(packages: string[], folder: string): boolean {
  if (!isReachable) return false;
  mkdirSync(CACHE, { recursive: true });
  const partial = mkdtempSync(join(CACHE, "loquat-partial-"));
  try {
    writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true }));
    const command = [process.execPath, "add", "--silent", "--exact", ...packages];
    const child = Bun.spawnSync(command, { cwd: partial, timeout: INSTALL_MS });
    isReachable = !child.exitedDueToTimeout;
    if (child.success && !existsSync(folder)) renameSync(partial, folder);
  } catch {
    // the other process was faster
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return existsSync(folder);
}
