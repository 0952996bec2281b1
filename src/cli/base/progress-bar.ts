/** The progress of a download on standard error: one line rewritten on a terminal, a line every few seconds elsewhere. */

import { byteText } from "../../byte-text.ts";
import type { Progress } from "../../models/pull/pull.ts";
import { clockText } from "./status-line.ts";

const WIDTH = 24;
const TERMINAL_MS = 100;
const LINES_MS = 5000;

type Output = { isTTY?: boolean; write(text: string): unknown };
type ProgressBar = Disposable & { update(progress: Progress): void; note(line: string): void };

export function openProgressBar(output: Output = process.stderr, now = () => performance.now()): ProgressBar {
  const isTerminal = output.isTTY === true;
  const rate = openRate();
  let last: Progress | null = null;
  let drawnAt = now();
  const show = () => {
    if (!last) return;
    const text = progressText(last, rate.bytesPerSecond());
    output.write(isTerminal ? `\r  ${barOf(last)} ${text}\x1b[K` : `  ${text}\n`);
    drawnAt = now();
  };
  return {
    update(progress) {
      last = progress;
      rate.add(now(), progress.bytes);
      if (now() - drawnAt >= (isTerminal ? TERMINAL_MS : LINES_MS)) show();
    },
    note: (line) => void output.write(isTerminal ? `\r  ${line}\x1b[K\n` : `  ${line}\n`),
    [Symbol.dispose]() {
      show();
      if (isTerminal && last) output.write("\n");
    },
  };
}

const shareOf = ({ bytes, total }: Progress) => (total === 0 ? 1 : Math.min(1, Math.max(0, bytes / total)));

function barOf(progress: Progress): string {
  const filled = Math.round(shareOf(progress) * WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
}

/** 42 % of 1.1 GB, 12 MB/s, 1:05 left */
function progressText(progress: Progress, bytesPerSecond: number | null): string {
  const parts = [`${Math.floor(shareOf(progress) * 100)} % of ${byteText(progress.total)}`];
  const left = progress.total - progress.bytes;
  if (bytesPerSecond !== null && bytesPerSecond > 0 && left > 0)
    parts.push(`${byteText(bytesPerSecond)}/s`, `${clockText(left / bytesPerSecond)} left`);
  return parts.join(", ");
}

const WINDOW_MS = 10_000;
const SHORTEST_MS = 1000; // before, a burst looks like a speed

type Rate = {
  /** `bytes` that have arrived in all; fewer than before where a part was discarded. */
  add(nowMs: number, bytes: number): void;
  /** Null where too little is known. */
  bytesPerSecond(): number | null;
};

/** The speed of a download over its last seconds. */
function openRate(): Rate {
  const samples: { at: number; bytes: number }[] = [];
  return {
    add(at, bytes) {
      if (bytes < (samples.at(-1)?.bytes ?? 0)) samples.length = 0;
      samples.push({ at, bytes });
      while (samples.length > 2 && at - samples[1]!.at >= WINDOW_MS) samples.shift();
    },
    bytesPerSecond() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.at - first.at < SHORTEST_MS) return null;
      return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
    },
  };
}
