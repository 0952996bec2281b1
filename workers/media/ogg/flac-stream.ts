/** FLAC in Ogg: a packet for each metadata block and each frame (RFC 9639, section 10.1). */
import { parseStreamInfo, readFlacFrame, STREAM_INFO_BYTES } from "../flac/flac-frame.ts";
import type { OggStream } from "./ogg-stream.ts";

const STREAM_INFO_AT = 17; // behind the header of the mapping, "fLaC" and the header of the block
const FRAME = 0xff; // no block begins so

export function openFlacStream(head: Uint8Array): OggStream {
  const info = parseStreamInfo(head.subarray(STREAM_INFO_AT, STREAM_INFO_AT + STREAM_INFO_BYTES));
  return {
    decode: (packet) => (packet[0] === FRAME ? readFlacFrame(packet, info) : null),
    endOf: (granule) => granule,
    close: () => {},
  };
}
