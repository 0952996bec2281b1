/**
 * One second of a tone in a format that we do not write ourselves, made by FFmpeg in its own process:
 *
 *   bun pack.ts <muxer> <encoder> <file> [recorded]
 *
 * Recorded: as browsers record, whose files are written while they grow, and never say how long they are.
 */
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
} from "node-av/constants";
import { Codec, CodecContext, Dictionary, FormatContext, Frame, Packet, Rational } from "node-av/lib";

const RATE = 48_000;
const [muxer = "", encoderName = "", path = "", recorded] = process.argv.slice(2);
const RECORDING = { webm: { live: 1 }, mp4: { movflags: "frag_keyframe+empty_moov+default_base_moof" } };

const output = new FormatContext();
check(output.allocOutputContext2(null, muxer, path));
const codec = Codec.findEncoderByName(encoderName as never)!;
const encoder = new CodecContext();
encoder.allocContext3(codec);
encoder.sampleRate = RATE;
encoder.sampleFormat = encoderName === "libopus" ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;
encoder.channelLayout = AV_CHANNEL_LAYOUT_MONO;
encoder.timeBase = new Rational(1, RATE);
encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER); // the headers of the stream go into the container's
check(encoder.open2Sync(codec));
const stream = output.newStream(codec);
check(stream.codecpar.fromContext(encoder));
stream.timeBase = new Rational(1, RATE);
check(output.openOutputSync());
const options = recorded ? Dictionary.fromObject(RECORDING[muxer as keyof typeof RECORDING]) : null;
check(output.writeHeaderSync(options));
const packet = new Packet();
packet.alloc();
const size = encoder.frameSize || 1024;
for (let offset = 0; offset <= RATE; offset += size) {
  const last = offset + size > RATE;
  check(encoder.sendFrameSync(last ? null : frameAt(offset)));
  while (encoder.receivePacketSync(packet) >= 0) {
    packet.streamIndex = 0;
    packet.rescaleTs(encoder.timeBase, stream.timeBase);
    check(output.interleavedWriteFrameSync(packet));
    packet.unref();
  }
  if (last) break;
}
check(output.writeTrailerSync());
output.closeOutputSync();
process.exit(0);

function frameAt(offset: number): Frame {
  const samples = Float32Array.from({ length: size }, (_, i) => 0.5 * Math.sin((offset + i) / 16));
  const frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: size,
    format: encoder.sampleFormat,
    sampleRate: RATE,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: new Rational(1, RATE),
  } as never);
  frame.pts = BigInt(offset);
  return frame;
}

function check(status: number): void {
  if (status < 0) throw new Error(`FFmpeg answered ${status}`);
}
