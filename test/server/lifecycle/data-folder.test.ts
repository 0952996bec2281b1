/** Promise: a data directory that cannot be written stops the start in one line that names it, the user and the remedy. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireDataFolder } from "../../../src/server/lifecycle/data-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-data-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = fileURLToPath(new URL("../../../src/server/lifecycle/data-folder.ts", import.meta.url));
const NOBODY = 65_534;
const unlessRoot = process.getuid?.() === 0 ? "" : " (skipped: only root can become another user)";

/** The message that another user gets; empty where the directory can be used. */
function messageOf(path: string): string {
  const code = `process.setgid(${NOBODY}); process.setuid(${NOBODY});
    const { requireDataFolder } = await import(${JSON.stringify(MODULE)});
    try { requireDataFolder(${JSON.stringify(path)}); } catch (error) { console.log(error.message); }`;
  const child = Bun.spawnSync([process.execPath, "-e", code]);
  expect(child.stderr.toString()).toBe("");
  return child.stdout.toString().trim();
}

const REFUSED = /^LOQUAT_DATA: \S+ cannot be written by user 65534: E\w+[^\n]+ Give the directory [^\n]+$/;

test("a directory that does not exist is made for its user alone", () => {
  const path = join(folder, "new", "data");
  requireDataFolder(path);
  expect(existsSync(path)).toBe(true);
});

test("a file in its place is named", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => requireDataFolder(join(folder, "file"))).toThrow(/^LOQUAT_DATA: \S+file cannot be written by/);
});

test.skipIf(unlessRoot !== "")(`a directory or database of another user is refused${unlessRoot}`, () => {
  chmodSync(folder, 0o755);
  expect(messageOf(folder)).toMatch(REFUSED);
  expect(messageOf(join(folder, "new"))).toMatch(REFUSED);
  chmodSync(folder, 0o777);
  expect(messageOf(folder)).toBe("");
  writeFileSync(join(folder, "loquat.db"), "", { mode: 0o644 });
  expect(messageOf(folder)).toMatch(REFUSED);
});

const canMount = unlessRoot === "" && Bun.spawnSync(["unshare", "--mount", "true"]).success;
const unlessMounts = canMount ? "" : " (skipped: no rights to mount)";

test.skipIf(!canMount)(`a read-only directory is refused${unlessMounts}`, () => {
  const path = join(folder, "data");
  mkdirSync(path);
  const code = `const { requireDataFolder } = await import(${JSON.stringify(MODULE)});
    try { requireDataFolder(${JSON.stringify(path)}); } catch (error) { console.log(error.message); }`;
  const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" -e "$3"';
  const child = Bun.spawnSync(["unshare", "--mount", "sh", "-c", script, "sh", path, process.execPath, code]);
  expect(child.stdout.toString()).toMatch(/^LOQUAT_DATA: \S+ cannot be written by user 0: EROFS/);
});
