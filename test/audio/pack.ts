/**
 * Recordings in formats that we do not write ourselves, made by FFmpeg in its own process:
 *
 *   bun pack.ts <folder> <packings as JSON>        writes a file for each, named by its place in the list
 */
import { join } from "node:path";
import {
  AV_CHANNEL_LAYOUT_5POINT1,
  AV_CHANNEL_LAYOUT_MONO,
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AV_SAMPLE_FMT_S32,
  AV_SAMPLE_FMT_S32P,
  AV_SAMPLE_FMT_U8,
} from "node-av/constants";
import { Codec, CodecContext, Dictionary, FormatContext, Frame, Log, Packet, Rational } from "node-av/lib";
import type { Packing } from "./packed.ts";

const PICTURES = { codec: (muxer: string) => (muxer === "flv" ? "flv" : "mpeg4"), rate: 25, side: 32 };
const FRAME_SAMPLES = 1024; // where the codec has no size of its own
const LAYOUTS = [AV_CHANNEL_LAYOUT_MONO, AV_CHANNEL_LAYOUT_STEREO, AV_CHANNEL_LAYOUT_5POINT1];
/** How samples from -1 to 1 are written. */
const WRITERS: [format: number, write: (samples: Float32Array) => ArrayBufferView, isPlanar: boolean][] = [
  [AV_SAMPLE_FMT_FLT, (samples) => samples, false],
  [AV_SAMPLE_FMT_FLTP, (samples) => samples, true],
  [AV_SAMPLE_FMT_S16, (samples) => Int16Array.from(samples, (value) => value * 32_767), false],
  [AV_SAMPLE_FMT_S16P, (samples) => Int16Array.from(samples, (value) => value * 32_767), true],
  [AV_SAMPLE_FMT_S32, (samples) => Int32Array.from(samples, (value) => value * 2_147_483_000), false],
  [AV_SAMPLE_FMT_S32P, (samples) => Int32Array.from(samples, (value) => value * 2_147_483_000), true],
  [AV_SAMPLE_FMT_U8, (samples) => Uint8Array.from(samples, (value) => 128 + value * 127), false],
];

Log.setLevel(AV_LOG_QUIET);
const [folder = "", packings = "[]"] = process.argv.slice(2);
for (const [index, packing] of (JSON.parse(packings) as Packing[]).entries())
  pack(join(folder, String(index)), packing);
process.exit(0);

type Track = { encoder: CodecContext; index: number; timeBase: Rational; frames: Generator<Frame> };

function pack(path: string, { muxer, encoder, ...options }: Packing): void {
  const output = new FormatContext();
  check(output.allocOutputContext2(null, muxer, path), muxer);
  const contexts = Array.from({ length: options.tracks ?? 1 }, () => openSound(encoder, options));
  if (options.hasPictures) contexts.unshift(openPictures(PICTURES.codec(muxer)));
  const streams = contexts.map((context) => {
    const stream = output.newStream(Codec.findEncoder(context.codecId)!);
    check(stream.codecpar.fromContext(context), encoder);
    stream.codecpar.codecTag = 0;
    stream.timeBase = context.timeBase as Rational;
    return stream;
  });
  check(output.openOutputSync(), muxer);
  const settings =
    Object.keys(options.muxing ?? {}).length > 0 ? Dictionary.fromObject(options.muxing!) : null;
  check(output.writeHeaderSync(settings), muxer);
  const tracks = contexts.map((context, index) => ({
    ...{ encoder: context, index, timeBase: streams[index]!.timeBase as Rational },
    frames: context.width > 0 ? pictures(context, options) : sound(context, options),
  }));
  writePackets(output, tracks);
  check(output.writeTrailerSync(), muxer);
  output.closeOutputSync();
}

/** In turns, so that the tracks lie side by side. */
function writePackets(output: FormatContext, tracks: Track[]): void {
  const packet = new Packet();
  packet.alloc();
  const [open, timeOf] = [new Set(tracks), new Map<Track, number>()];
  while (open.size > 0) {
    const track = [...open].reduce((a, b) => ((timeOf.get(b) ?? -1) < (timeOf.get(a) ?? -1) ? b : a));
    const { encoder, index, timeBase, frames } = track;
    const { value: frame = null, done } = frames.next();
    if (done) open.delete(track);
    check(encoder.sendFrameSync(frame), "a frame");
    if (frame !== null) timeOf.set(track, (Number(frame.pts) * encoder.timeBase.num) / encoder.timeBase.den);
    while (encoder.receivePacketSync(packet) >= 0) {
      packet.streamIndex = index;
      packet.rescaleTs(encoder.timeBase, timeBase);
      check(output.interleavedWriteFrameSync(packet), "a packet");
      packet.unref();
    }
  }
}

type Options = Omit<Packing, "muxer" | "encoder">;

function openSound(name: string, { rate = 48_000, channels = 1 }: Options): CodecContext {
  const codec = Codec.findEncoderByName(name as never);
  if (!codec) throw new Error(`FFmpeg has no encoder ${name}`);
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = rate;
  const taken = codec.sampleFormats as readonly number[] | null;
  encoder.sampleFormat = WRITERS.find(([format]) => taken?.includes(format) ?? true)![0] as never;
  encoder.channelLayout = LAYOUTS.find(({ nbChannels }) => nbChannels === channels)!;
  encoder.timeBase = new Rational(1, rate);
  encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER); // the headers of the stream go into the container's
  if (name === "g723_1") encoder.bitRate = 6300n; // the only one
  check(encoder.open2Sync(codec, Dictionary.fromObject({ strict: "-2" })), name);
  return encoder;
}

function openPictures(name: string): CodecContext {
  const codec = Codec.findEncoderByName(name as never)!;
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.width = PICTURES.side;
  encoder.height = PICTURES.side;
  encoder.pixelFormat = AV_PIX_FMT_YUV420P;
  encoder.timeBase = new Rational(1, PICTURES.rate);
  encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  check(encoder.open2Sync(codec), name);
  return encoder;
}

/** A tone, with noise where the bytes of every frame are to differ. */
function* sound(
  encoder: CodecContext,
  { seconds = 1, startSeconds = 0, isNoisy = false }: Options,
): Generator<Frame> {
  const { sampleRate, sampleFormat, channelLayout, frameSize } = encoder;
  const channels = channelLayout.nbChannels;
  const [, write, isPlanar] = WRITERS.find(([format]) => format === sampleFormat)!;
  const total = Math.round(seconds * sampleRate);
  for (let offset = 0; offset < total; offset += frameSize || FRAME_SAMPLES) {
    const count = Math.min(frameSize || FRAME_SAMPLES, total - offset);
    const samples = new Float32Array(count * channels);
    for (let i = 0; i < samples.length; i++) {
      const at = offset + (isPlanar ? i % count : Math.floor(i / channels));
      const noise = isNoisy ? ((Math.imul(at, 2_654_435_761) >> 16) % 9000) / 32_768 : 0;
      samples[i] = 0.5 * Math.sin((at * 3000) / sampleRate) + noise;
    }
    const { buffer, byteOffset, byteLength } = write(samples);
    const frame = Frame.fromAudioBuffer(Buffer.from(buffer, byteOffset, byteLength), {
      ...{ nbSamples: count, format: sampleFormat, sampleRate, channelLayout },
      timeBase: encoder.timeBase,
    } as never);
    frame.pts = BigInt(offset + startSeconds * sampleRate);
    yield frame;
  }
}

function* pictures({ width, height, timeBase }: CodecContext, { seconds = 1 }: Options): Generator<Frame> {
  for (let index = 0; index < seconds * PICTURES.rate; index++) {
    const bytes = Buffer.alloc((width * height * 3) / 2, index % 200);
    const frame = Frame.fromVideoBuffer(bytes, {
      width,
      height,
      format: AV_PIX_FMT_YUV420P,
      timeBase,
    } as never);
    frame.pts = BigInt(index);
    yield frame;
  }
}

function check(status: number, what: string): void {
  if (status < 0) throw new Error(`FFmpeg answered ${status} to ${what}`);
}
