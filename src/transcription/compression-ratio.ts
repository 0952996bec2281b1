/** How much a text repeats itself: its length divided by its compressed length. Above 2.4 it is probably no speech. */
import { deflateSync } from "node:zlib";

export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
