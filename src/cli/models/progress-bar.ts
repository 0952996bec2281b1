/** A progress bar on standard error: one line rewritten on a terminal, one line for each tenth elsewhere. */
import type { Progress } from "../../models/pull/pull.ts";
import { byteText } from "../../models/size.ts";

const WIDTH = 30;

export function openProgressBar(): Disposable & { update(progress: Progress): void } {
  const isTerminal = process.stderr.isTTY;
  const steps = isTerminal ? 200 : 10;
  let lastStep = -1;
  return {
    update({ bytes, total }) {
      const share = total === 0 ? 1 : Math.min(1, bytes / total);
      const step = Math.floor(share * steps);
      if (step === lastStep) return;
      lastStep = step;
      const filled = Math.round(share * WIDTH);
      const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
      const line = `  ${bar} ${Math.floor(share * 100)} % of ${byteText(total)}`;
      process.stderr.write(isTerminal ? `\r${line}` : `${line}\n`);
    },
    [Symbol.dispose]() {
      if (isTerminal && lastStep >= 0) process.stderr.write("\n");
    },
  };
}
