/** Writes a small file whole, so that no other process ever reads a part of it. */
import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** As JSON, in its folder, which is made where it is missing. */
export function replaceJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** By one rename: a process that is killed leaves the old file or the new one. `mode`: of a new file. */
export function replaceFile(path: string, content: string, mode = 0o666): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, path);
}
