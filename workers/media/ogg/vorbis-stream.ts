/** Vorbis in Ogg, decoded by libvorbis. */
import openLibvorbis from "ogv/dist/ogv-decoder-audio-vorbis-wasm.js";
import { readAsset } from "../../../src/resources.ts";
import { type Block, isPossible, XIPH_LAYOUTS } from "../source/block.ts";
import { DecodeFailure } from "../source/source.ts";
import type { OggStream } from "./ogg-stream.ts";

const HEADERS = 3; // identification, comment, setup
const wasmBinary = readAsset("ogv/dist/ogv-decoder-audio-vorbis-wasm.wasm"); // now: files cannot be read later

export async function openVorbisStream(_head: Uint8Array): Promise<OggStream> {
  const native = await openLibvorbis({ wasmBinary, printErr: () => {} });
  native.init(() => {});
  let headers = 0;
  const readHeader = (packet: Uint8Array) => {
    native.processHeader(packet, (isValid) => {
      if (!isValid) throw new DecodeFailure("unreadable");
    });
    headers++;
    const format = native.audioFormat;
    if (headers === HEADERS && (format === null || !isPossible(format.channels, format.rate)))
      throw new DecodeFailure("unreadable");
  };
  return {
    decode(packet): Block | null {
      if (headers < HEADERS) {
        readHeader(packet);
        return null;
      }
      native.audioBuffer = null;
      native.processAudio(packet, () => {});
      const channels = native.audioBuffer as Float32Array[] | null;
      if (!channels?.[0]) return null;
      return {
        channels,
        sampleRate: native.audioFormat!.rate,
        layout: XIPH_LAYOUTS[channels.length] ?? null,
      };
    },
    endOf: (granule) => granule,
    close: () => native.close(),
  };
}
