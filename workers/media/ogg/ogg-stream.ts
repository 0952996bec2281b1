/** What a codec makes of the packets of one stream in Ogg. */
import type { Block } from "../source/block.ts";

export type OggStream = {
  /** Null for a packet without sound: headers, and what cannot be decoded. */
  decode(packet: Uint8Array): Block | null;
  /** How many samples there are in all where the stream ends at this granule position. */
  endOf(granule: number): number;
  close(): void;
};
