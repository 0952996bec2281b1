/**
 * Published Python packages, in virtual environments of their own: each is made once for a list of versions, in a cache
 * folder outside the repository.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const INSTALL_MS = 15 * 60_000;

/** The interpreter that has all of `packages`; null where it cannot be made, and standard error says why. */
export function pythonWith(packages: readonly string[]): string | null {
  const cache = join(Bun.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "loquat-python");
  const folder = join(cache, Bun.hash(packages.join()).toString(36));
  if (existsSync(folder)) return pythonOf(folder);
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, "partial-"));
  try {
    if (!succeeds(["python3", "-m", "venv", partial])) return null;
    const install = ["-m", "pip", "install", "--quiet", "--prefer-binary", "--retries", "1"];
    if (!succeeds([pythonOf(partial), ...install, ...packages])) return null;
    if (!existsSync(folder)) renameSync(partial, folder); // another run may have made it meanwhile
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return pythonOf(folder);
}

const pythonOf = (folder: string) => join(folder, "bin", "python");

function succeeds(command: string[]): boolean {
  if (Bun.which(command[0]!) === null) {
    process.stderr.write(`  ${command[0]} is not installed\n`);
    return false;
  }
  const { success, stderr } = Bun.spawnSync(command, { timeout: INSTALL_MS, stdout: "ignore" });
  if (!success) process.stderr.write(`  ${command.join(" ")}: ${stderr.toString().trim()}\n`);
  return success;
}
