/**
 * Decodes with FFmpeg, only in a process of its own: FFmpeg is GPL here, and uploads are hostile.
 *
 *   stdin (the file) ──> demux ──> decode ──> mono s16le ──> stdout         exit code: the result
 *
 * The process confines itself before it reads a byte: files, sockets, system calls, memory, time (`confine`). FFmpeg gets
 * the bytes in memory, a short list of formats and no protocols, so no name inside a file can open anything.
 */
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_LOG_QUIET,
  AV_SAMPLE_FMT_S16,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
} from "node-av/constants";
import {
  Codec,
  CodecContext,
  Dictionary,
  FormatContext,
  Frame,
  IOContext,
  Log,
  Packet,
  SoftwareResampleContext,
} from "node-av/lib";
import { DecodeFailure, type Source } from "./source/source.ts";
import { type Upload, writeAll } from "./upload.ts";

const FORMATS =
  "wav,w64,mp3,mov,mp4,m4a,3gp,3g2,mj2,aac,ogg,flac,matroska,webm,mpeg,mpegts,aiff,caf,amr,asf,avi";
const CODECS = [
  "aac,aac_latm,ac3,eac3,alac,amrnb,amrwb,dca,flac,gsm,gsm_ms,mp1float,mp2float,mp3float,opus,vorbis",
  "wmav1,wmav2,wmapro,wmalossless,wmavoice,g722,g726,g726le,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,adpcm_yamaha",
  "pcm_alaw,pcm_mulaw,pcm_s8,pcm_u8,pcm_s16be,pcm_s16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le,pcm_s64be,pcm_s64le",
  "pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_dvd,pcm_bluray",
].join(",");
const OPTIONS = {
  format_whitelist: FORMATS,
  codec_whitelist: CODECS, // probing would open any decoder, of pictures too
  protocol_whitelist: "none",
  max_streams: "16",
  probesize: "1000000",
  analyzeduration: "5000000",
};
const IO_BYTES = 64 * 1024;
const OUT_BYTES = 256 * 1024; // written at once: one frame at a time costs a fifth of the whole
const FILTER_TAPS = 64; // what would alias falls below 16 bits; the default of 32 leaves it at -26 dB
const CHANNELS_MAX = 64;
const BAD_PACKETS_MAX = 1000;
const AGAIN = -11;

Log.setLevel(AV_LOG_QUIET); // its messages would go to standard error

export function decode({ source, ...limits }: Upload): void {
  const input = openInput(source);
  const stream = input.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  if (!stream) throw new DecodeFailure("noAudio");
  for (const other of input.streams) if (other.index !== stream.index) other.discard = AVDISCARD_ALL;
  const decoder = openDecoder(stream);
  const output = openOutput(limits);
  const packet = new Packet();
  packet.alloc();
  const frame = new Frame();
  frame.alloc();
  let bad = 0;
  const drain = () => {
    while (decoder.receiveFrameSync(frame) >= 0) output.write(frame);
  };
  for (let end = false; !end; packet.unref()) {
    end = input.readFrameSync(packet) < 0;
    if (!end && packet.streamIndex !== stream.index) continue;
    const status = decoder.sendPacketSync(end ? null : packet);
    if (status < 0 && status !== AGAIN && ++bad > BAD_PACKETS_MAX) break;
    drain();
  }
  output.finish();
}

function openInput({ sizeBytes, read }: Source): FormatContext {
  let position = 0;
  const io = new IOContext();
  io.allocContextWithCallbacks(
    IO_BYTES,
    0,
    (size) => {
      if (position >= sizeBytes) return null;
      const chunk = read(position, size);
      position += chunk.length;
      return chunk;
    },
    null,
    (offset, whence) => {
      if (whence === 0x10000) return sizeBytes; // how large is it?
      const base = [0, position, sizeBytes][whence] ?? 0;
      position = Math.max(0, Math.min(sizeBytes, base + Number(offset)));
      return position;
    },
  );
  const input = new FormatContext();
  input.allocContext();
  input.pb = io;
  if (input.openInputSync("", null, Dictionary.fromObject(OPTIONS)) < 0)
    throw new DecodeFailure("unreadable");
  if (input.findStreamInfoSync() < 0) throw new DecodeFailure("unreadable");
  return input;
}

function openDecoder(stream: FormatContext["streams"][number]): CodecContext {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec || !CODECS.split(",").includes(codec.name ?? "")) throw new DecodeFailure("unreadable");
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.threadCount = 1;
  const copied = decoder.parametersToContext(stream.codecpar);
  decoder.pktTimebase = stream.timeBase; // by which it knows what encoder delay to skip
  if (copied < 0 || decoder.open2Sync(codec) < 0) throw new DecodeFailure("unreadable");
  return decoder;
}

/** Resamples frames and writes them out; a recording beyond the limit ends everything at once. */
function openOutput({ maxSamples, sampleRate }: Omit<Upload, "source">) {
  let swr: SoftwareResampleContext | null = null;
  let shape = "";
  let count = 0;
  let room = Buffer.alloc(OUT_BYTES);
  let held = 0;
  const flush = () => {
    writeAll(room.subarray(0, held));
    held = 0;
  };
  const convert = (data: Buffer[] | null, frames: number) => {
    const expected = swr!.getOutSamples(frames);
    if (held + expected * 2 > room.length) flush();
    if (expected * 2 > room.length) room = Buffer.alloc(expected * 2);
    const made = swr!.convertSync([room.subarray(held)], expected, data, frames);
    if (made <= 0) return;
    held += made * 2;
    count += made;
    if (count > maxSamples) throw new DecodeFailure("tooLong");
  };
  return {
    write(frame: Frame) {
      const next = `${frame.sampleRate}:${frame.format}:${frame.channels}`;
      if (next !== shape) {
        if (swr) convert(null, 0);
        swr = openResampler(frame, sampleRate);
        shape = next;
      }
      convert(frame.extendedData ?? frame.data, frame.nbSamples);
    },
    finish() {
      if (swr) convert(null, 0);
      flush();
      if (count === 0) throw new DecodeFailure("empty");
    },
  };
}

/** To mono as the mean of the channels: the library's own downmix would be louder than its input. */
function openResampler(
  { channels, channelLayout, format, sampleRate }: Frame,
  target: number,
): SoftwareResampleContext {
  if (channels < 1 || channels > CHANNELS_MAX || sampleRate < 1) throw new DecodeFailure("unreadable");
  const swr = new SoftwareResampleContext();
  const set = swr.allocSetOpts2(
    AV_CHANNEL_LAYOUT_MONO,
    AV_SAMPLE_FMT_S16,
    target,
    channelLayout,
    format as never,
    sampleRate,
  );
  if (set < 0) throw new DecodeFailure("unreadable");
  if (channels > 1) swr.setMatrix(Array<number>(channels).fill(1 / channels), channels);
  swr.setOption("filter_size", FILTER_TAPS);
  if (swr.init() < 0) throw new DecodeFailure("unreadable");
  return swr;
}
