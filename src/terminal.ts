/** Colours on terminals, and nowhere else: a file, a pipe and a terminal with NO_COLOR get plain text. */
import { inspect } from "node:util";

/** A standard stream. `getColorDepth` reads NO_COLOR, FORCE_COLOR and TERM; streams without a terminal lack it. */
export type Terminal = { isTTY?: boolean; getColorDepth?: () => number };

export type Color = "red" | "green" | "yellow" | "cyan" | "gray" | "bold";

export function paint(stream: Terminal, color: Color, text: string): string {
  if (!stream.isTTY || (stream.getColorDepth?.() ?? 1) < 2) return text;
  const [on, off] = inspect.colors[color]!;
  return `\x1b[${on}m${text}\x1b[${off}m`;
}
