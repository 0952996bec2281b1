/**
 * One clip, encoded in its own process, because FFmpeg is GPL here:
 *
 *   stdin (mono s16le at `TTS_SAMPLE_RATE`) ──> AAC-LC ──> ADTS frames ──> stdout
 *
 * The process confines itself before it reads a byte (`confine`), as the decoder does. A clip of any length needs the
 * memory of one block.
 */
import { readSync, writeSync } from "node:fs";
import { AV_CHANNEL_LAYOUT_MONO, AV_LOG_QUIET, AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import { Codec, CodecContext, Frame, Log, Packet, Rational } from "node-av/lib";
import { adtsFrame } from "../../src/audio/adts.ts";
import { toFloat } from "../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { confine } from "../sandbox/confine.ts";

const BITRATE = 64_000n;
const BLOCK_FRAMES = 64;
const CPU_SECONDS = 120; // half an hour of speech takes about 8

Log.setLevel(AV_LOG_QUIET); // its messages would go to standard error
confine({ cpuSeconds: CPU_SECONDS });
encode();
process.exit(0);

function encode(): void {
  const encoder = openEncoder();
  const frameBytes = encoder.frameSize * 2;
  const block = Buffer.alloc(BLOCK_FRAMES * frameBytes);
  for (let filled = block.length; filled === block.length; ) {
    filled = readInto(block);
    block.fill(0, filled); // the last frame ends in silence
    const frames: Uint8Array[] = [];
    for (let offset = 0; offset < filled; offset += frameBytes)
      frames.push(...encoded(encoder, block.subarray(offset, offset + frameBytes)));
    write(Buffer.concat(frames));
  }
  write(Buffer.concat([...encoded(encoder, null)]));
}

function openEncoder(): CodecContext {
  const codec = Codec.findEncoderByName("aac" as never);
  if (!codec) throw new Error("FFmpeg has no AAC encoder");
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = TTS_SAMPLE_RATE;
  encoder.sampleFormat = AV_SAMPLE_FMT_FLTP;
  encoder.channelLayout = AV_CHANNEL_LAYOUT_MONO;
  encoder.timeBase = new Rational(1, TTS_SAMPLE_RATE);
  encoder.bitRate = BITRATE;
  encoder.threadCount = 1;
  check(encoder.open2Sync(codec));
  return encoder;
}

/** How many bytes there were: fewer than there is room for at the end only. */
function readInto(block: Buffer): number {
  let filled = 0;
  for (let read = 1; read > 0 && filled < block.length; filled += read)
    read = readSync(0, block, filled, block.length - filled, null);
  return filled;
}

/** The frames that are ready after these samples; null: after the last. */
function* encoded(encoder: CodecContext, pcm: Buffer | null): Generator<Uint8Array> {
  using frame = pcm && frameOf(pcm);
  check(encoder.sendFrameSync(frame));
  using packet = new Packet();
  packet.alloc();
  for (; encoder.receivePacketSync(packet) >= 0; packet.unref())
    yield adtsFrame(packet.data!, TTS_SAMPLE_RATE);
}

function frameOf(pcm: Buffer): Frame {
  const samples = toFloat(new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2));
  return Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: samples.length,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: TTS_SAMPLE_RATE,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: new Rational(1, TTS_SAMPLE_RATE),
  } as never);
}

function write(bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset);
}

function check(status: number): void {
  if (status < 0) throw new Error(`FFmpeg answered ${status}`);
}
