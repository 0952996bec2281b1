/** A temporary folder for the length of a command, removed also when the command is interrupted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onInterrupt } from "../base/interrupt.ts";

export function openScratch(): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "loquat-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const interrupt = onInterrupt(remove);
  return {
    folder,
    [Symbol.dispose]() {
      interrupt[Symbol.dispose]();
      remove();
    },
  };
}
