/** Samples without a header, as dialects name them, and the header that makes a recording of them. */
import { pcmHeader } from "../../audio/pcm.ts";

/** `encoding`: signed 16-bit, or G.711. */
export type RawAudio = { encoding: "linear16" | "mulaw" | "alaw"; sampleRate: number; channels: number };

const FORMAT_OFFSET = 20;
const FORMATS = { linear16: 1, alaw: 6, mulaw: 7 };

/** Of a file whose length is not known. */
export function headerOf({ encoding, sampleRate, channels }: RawAudio): Uint8Array<ArrayBuffer> {
  const header = pcmHeader({ sampleRate, channels, width: encoding === "linear16" ? 2 : 1 }, null);
  new DataView(header.buffer).setUint16(FORMAT_OFFSET, FORMATS[encoding], true);
  return header;
}
