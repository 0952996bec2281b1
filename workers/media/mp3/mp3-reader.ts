/**
 * Reads MP3: frames are found here and decoded by minimp3, one at a time.
 *
 * An Info frame at the beginning says how many samples the encoder and the decoder have put before and behind the sound;
 * they are left out. A frame that needs an earlier one that is missing is silence.
 */
import { readAsset } from "../../../src/resources.ts";
import { type Block, cut } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { findMpeg, type MpegFrame, mpegFrames } from "./mpeg-frames.ts";

type Minimp3 = {
  memory: WebAssembly.Memory;
  decoder_init(): void;
  decoder_set_mp3_data_size(sizeBytes: number): void;
  decoder_mp3_data_offset(): number;
  decoder_pcm_data_offset(): number;
  decoder_decode(seconds: number): void;
  decode_results_num_channels(): number;
  decode_results_num_samples(): number;
};

const DECODER_DELAY = 529;
const FRAME_SAMPLES_MAX = 2 * 1152;
const ALL = 1e9; // seconds
const wasm = readAsset("minimp3-wasm/dist/decoder.opt.wasm"); // now: files cannot be read later

/** Null where these bytes are not MP3. */
export function openMp3(cursor: Cursor): Generator<Block> | null {
  return findMpeg(cursor) ? readMp3(cursor) : null;
}

function* readMp3(cursor: Cursor): Generator<Block> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  const native = exports as unknown as Minimp3;
  native.decoder_init();
  let sound = { start: 0, end: Number.POSITIVE_INFINITY };
  let count = 0;
  let isFirst = true;
  for (const frame of mpegFrames(cursor)) {
    const info = isFirst ? infoOf(frame) : null;
    isFirst = false;
    if (info !== null) {
      sound = info;
      continue;
    }
    const block = decodeFrame(native, frame);
    const from = Math.min(Math.max(0, sound.start - count), frame.sampleCount);
    yield cut(block, from, Math.min(sound.end - count, frame.sampleCount));
    count += frame.sampleCount;
  }
}

/** The samples that are the sound, by the Info frame of LAME and others; null for a frame with sound of its own. */
function infoOf({ bytes, infoOffset, sampleCount }: MpegFrame): { start: number; end: number } | null {
  const info = Buffer.from(bytes.subarray(infoOffset));
  const name = info.toString("latin1", 0, 4);
  if (name !== "Info" && name !== "Xing") return null;
  const flags = info.length > 8 ? info.readUInt32BE(4) : 0;
  const sizes = [4, 4, 100, 4]; // frames, bytes, table of contents, quality
  const tagOffset = sizes.reduce((sum, size, bit) => sum + ((flags >> bit) & 1) * size, 8);
  const all = { start: 0, end: Number.POSITIVE_INFINITY };
  if (
    info.length < tagOffset + 24 ||
    !/^(LAME|Lavf|Lavc)/.test(info.toString("latin1", tagOffset, tagOffset + 4))
  )
    return all;
  const fields = info.readUIntBE(tagOffset + 21, 3); // two of 12 bits
  const start = (fields >> 12) + DECODER_DELAY;
  if ((flags & 1) === 0) return { ...all, start };
  return { start, end: info.readUInt32BE(8) * sampleCount - (fields & 0xfff) + DECODER_DELAY };
}

/** Of one frame the decoder neither searches for others nor writes more than it has counted. */
function decodeFrame(native: Minimp3, { bytes, sampleCount, sampleRate }: MpegFrame): Block {
  native.decoder_set_mp3_data_size(bytes.length);
  new Uint8Array(native.memory.buffer).set(bytes, native.decoder_mp3_data_offset());
  const room = native.memory.buffer.byteLength - native.decoder_pcm_data_offset();
  const silenced = Math.min(room >> 1, FRAME_SAMPLES_MAX);
  new Int16Array(native.memory.buffer, native.decoder_pcm_data_offset(), silenced).fill(0); // what a lost frame leaves
  native.decoder_decode(ALL);
  const channelCount = Math.max(1, native.decode_results_num_channels());
  const pcm = new Int16Array(
    native.memory.buffer,
    native.decoder_pcm_data_offset(),
    Math.min(native.decode_results_num_samples(), sampleCount * channelCount),
  );
  const channels = Array.from({ length: channelCount }, () => new Float32Array(sampleCount));
  for (let i = 0; i < pcm.length; i++)
    channels[i % channelCount]![Math.floor(i / channelCount)] = pcm[i]! / 32_768;
  return { channels, sampleRate };
}
