/**
 * Encodes clips as AAC-LC, in a confined process, because FFmpeg is GPL here:
 *
 *   samples at `TTS_SAMPLE_RATE` ──> frames of 1024 ──> AAC-LC ──> aac: each behind an ADTS header
 *                                                              └─> m4b: bare, and behind them the table of their sizes
 */

import { AV_CHANNEL_LAYOUT_MONO, AV_LOG_QUIET, AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import { Codec, CodecContext, Frame, Log, Packet, Rational } from "node-av/lib";
import type { Encoder } from "../../src/audio/encoder.ts";
import { frameTable } from "../../src/audio/m4b/m4b.ts";
import { join, toFloat, toInt16 } from "../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { ClipTask } from "../../src/speech/encoders.ts";
import { serveTasks } from "../sandbox/serve-tasks.ts";
import { advance, begin } from "./clips.ts";

const BITRATE = 64_000n;

Log.setLevel(AV_LOG_QUIET); // its messages would go to standard error
serveTasks<ClipTask>((task) =>
  task.op === "open" ? begin(task, openAac(task.format === "m4b" ? bareFrames() : ADTS)) : advance(task),
);

/** How frames are written, and what comes behind them. */
type Framing = { write(frame: Uint8Array): Uint8Array; end(): Uint8Array };

const ADTS: Framing = {
  write: (frame) => adtsFrame(frame, TTS_SAMPLE_RATE),
  end: () => new Uint8Array(0),
};

function bareFrames(): Framing {
  const sizes: number[] = [];
  return {
    write(frame) {
      sizes.push(frame.length);
      return Buffer.from(frame);
    },
    end: () => frameTable(sizes),
  };
}

function openAac(framing: Framing): Encoder {
  const context = openContext();
  const { frameSize } = context;
  let pending = new Float32Array(0);
  const encode = (samples: Float32Array): Uint8Array => {
    pending = join(pending, samples);
    const frames: Uint8Array[] = [];
    let offset = 0;
    for (; offset + frameSize <= pending.length; offset += frameSize)
      frames.push(...framesOf(context, pending.slice(offset, offset + frameSize), framing));
    pending = pending.slice(offset);
    return Buffer.concat(frames);
  };
  return {
    encode: (samples) => encode(toFloat(toInt16(samples))), // as exact as the other formats
    finish() {
      const silence = new Float32Array((frameSize - (pending.length % frameSize)) % frameSize);
      const last = [encode(silence), ...framesOf(context, null, framing)];
      const tail = Buffer.concat([...last, framing.end()]);
      context.freeContext();
      return { tail, head: null };
    },
  };
}

function openContext(): CodecContext {
  const codec = Codec.findEncoderByName("aac" as never);
  if (!codec) throw new Error("FFmpeg has no AAC encoder");
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = TTS_SAMPLE_RATE;
  context.sampleFormat = AV_SAMPLE_FMT_FLTP;
  context.channelLayout = AV_CHANNEL_LAYOUT_MONO;
  context.timeBase = new Rational(1, TTS_SAMPLE_RATE);
  context.bitRate = BITRATE;
  context.threadCount = 1;
  check(context.open2Sync(codec));
  return context;
}

/** The frames that are ready after these samples; null: after the last. */
function* framesOf(
  context: CodecContext,
  samples: Float32Array | null,
  { write }: Framing,
): Generator<Uint8Array> {
  using frame = samples && frameOf(samples);
  check(context.sendFrameSync(frame));
  using packet = new Packet();
  packet.alloc();
  for (; context.receivePacketSync(packet) >= 0; packet.unref()) yield write(packet.data!);
}

function frameOf(samples: Float32Array): Frame {
  return Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: samples.length,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: TTS_SAMPLE_RATE,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: new Rational(1, TTS_SAMPLE_RATE),
  } as never);
}

function check(status: number): void {
  if (status < 0) throw new Error(`FFmpeg answered ${status}`);
}

const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
];
const HEADER_BYTES = 7;
const SYNC_MPEG4_NO_CRC = 0xfff1;
const LOW_COMPLEXITY = 1;
const MONO = 1;
const VARIABLE_RATE = 0x7ff;

/**
 * ADTS (ISO/IEC 13818-7, 6.2): AAC-LC frames, each behind its own header, so that a file has no other header.
 *
 * `frame` is one mono frame as the encoder made it.
 */
export function adtsFrame(frame: Uint8Array, sampleRate: number): Uint8Array {
  const rate = SAMPLE_RATES.indexOf(sampleRate);
  if (rate < 0) throw new Error(`ADTS has no sample rate of ${sampleRate} Hz`);
  const bytes = new Uint8Array(HEADER_BYTES + frame.length);
  const header = new DataView(bytes.buffer);
  header.setUint16(0, SYNC_MPEG4_NO_CRC);
  header.setUint8(2, (LOW_COMPLEXITY << 6) | (rate << 2) | (MONO >> 2));
  header.setUint32(3, ((MONO & 3) << 30) | (bytes.length << 13) | (VARIABLE_RATE << 2)); // its last byte: one frame
  bytes.set(frame, HEADER_BYTES);
  return bytes;
}
