/** How much a text repeats itself: its length against what it can be compressed to. Above 2.4 hardly anybody speaks so. */
import { deflateSync } from "node:zlib";

export function repetition(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
