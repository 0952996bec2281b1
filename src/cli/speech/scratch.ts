/** A temporary folder for the length of a command, removed also when the command is interrupted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export function openScratch(): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "loquat-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const handlers = Object.entries(SIGNALS).map(([signal, code]) => {
    const end = () => {
      remove();
      process.exit(code);
    };
    process.once(signal, end);
    return () => void process.off(signal, end);
  });
  return {
    folder,
    [Symbol.dispose]() {
      for (const release of handlers) release();
      remove();
    },
  };
}
