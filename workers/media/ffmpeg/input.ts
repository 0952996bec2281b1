/** Opens a recording with FFmpeg: its container, the tracks in it that may be heard, and what it says about its times. */
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_NOPTS_VALUE,
  type AVCodecID,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import { Codec, CodecContext, Dictionary, FormatContext, IOContext, type Packet } from "node-av/lib";
import { DecodeFailure, type Source } from "../source/source.ts";
import { BARE, CODEC_IDS, GAPLESS, INPUT_OPTIONS, JUMPING, MEASURED, STREAMS_MAX, TIMED } from "./formats.ts";

type Stream = FormatContext["streams"][number];

export type Input = {
  source: Source;
  context: FormatContext;
  /** Of sound: those that are marked as default first. */
  tracks: Stream[];
  /** The times of its frames count. */
  isTimed: boolean;
  /** They may jump for no reason. */
  jumps: boolean;
  /** A gap in them is a loss. */
  isGapless: boolean;
  /** More tracks may appear while it is read. */
  grows: boolean;
  /** Where the file holds frames and nothing else, of what kind. */
  bareFormat: string | null;
  /** By the clock of the container, where the file says when it ends; 0: unknown. */
  fileSeconds: number;
  /** The same for its tracks. */
  trackSeconds: ReadonlyMap<number, number>;
};

const IO_BYTES = 64 * 1024;
const SIZE_ASKED = 0x10000;
const MICROSECONDS = 1e6;
/** Longer ones are headers of streams that never knew their length. */
const DECLARED_SECONDS_MAX = 1_000_000;

const UNTRUE_BYTES = 0x7000_0000; // of files that never learnt their size
const ASF_HEAD_BYTES = 64 * 1024;
const ASF_FILE_PROPERTIES = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");

export function openInput(source: Source): Input {
  const context = new FormatContext();
  context.allocContext();
  context.pb = ioOf(source);
  if (context.openInputSync("", null, Dictionary.fromObject(INPUT_OPTIONS)) < 0)
    throw new DecodeFailure("unreadable");
  const names = (context.iformat?.name ?? "").split(",");
  const isOf = (list: readonly string[]) => names.some((name) => list.includes(name));
  const ofHeader = { ...endsOf(context), ...(isOf(["asf"]) && { fileSeconds: asfSeconds(source) }) };
  if (context.findStreamInfoSync() < 0) throw new DecodeFailure("unreadable");
  const { streams } = context;
  refuseTooMany(context);
  const all = streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
  const sound = all.filter(({ codecpar }) => isRead(codecpar.codecId));
  if (all.length === 0) throw new DecodeFailure("noAudio");
  if (sound.length === 0) throw new DecodeFailure("unsupported", codecName(all[0]!.codecpar.codecId));
  const isDefault = ({ disposition }: Stream) => (disposition & AV_DISPOSITION_DEFAULT) !== 0;
  return {
    source,
    context,
    tracks: [...sound.filter(isDefault), ...sound.filter((stream) => !isDefault(stream))],
    ...{ isTimed: isOf(TIMED), jumps: isOf(JUMPING), isGapless: isOf(GAPLESS), grows: isOf(MEASURED) },
    bareFormat: names.find((name) => BARE.includes(name)) ?? null,
    ...(isOf(MEASURED) ? endsOf(context) : ofHeader),
  };
}

/** Also at the end: in some formats tracks appear while they are read. */
export function refuseTooMany({ nbStreams }: FormatContext): void {
  if (nbStreams >= STREAMS_MAX)
    throw new DecodeFailure("unsupported", `in a file of ${STREAMS_MAX} or more tracks`);
}

const isRead = (id: AVCodecID) => (CODEC_IDS as readonly AVCodecID[]).includes(id);

function codecName(id: AVCodecID): string {
  const codec = Codec.findDecoder(id);
  return codec?.longName ?? codec?.name ?? "in an unknown codec";
}

function ioOf({ sizeBytes, read }: Source): IOContext {
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
      if (whence === SIZE_ASKED) return sizeBytes;
      const base = [0, position, sizeBytes][whence] ?? 0;
      position = Math.max(0, Math.min(sizeBytes, base + Number(offset)));
      return position;
    },
  );
  return io;
}

/** The decoder of one track. */
export function openTrack({ codecpar, timeBase }: Stream): CodecContext {
  const codec = Codec.findDecoder(codecpar.codecId)!;
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.threadCount = 1;
  const copied = decoder.parametersToContext(codecpar);
  decoder.pktTimebase = timeBase; // by which it knows what encoder delay to skip
  if (copied < 0 || decoder.open2Sync(codec) < 0) throw new DecodeFailure("unreadable");
  return decoder;
}

/** The other tracks are not read from here on, but for those of sound that may follow this one. */
export function ignoreOthers({ context, grows }: Input, track: Stream): void {
  for (const { index, codecpar } of context.streams)
    if (index !== track.index && !(grows && codecpar.codecType === AVMEDIA_TYPE_AUDIO))
      context.streams[index]!.discard = AVDISCARD_ALL;
}

/** When a packet begins and ends, by the clock of the container; null for what has no time, and for covers. */
export function timeOf({ context }: Input, packet: Packet): { start: number; end: number } | null {
  const { duration, streamIndex } = packet;
  const stream = context.streams[streamIndex];
  const pts = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
  if (stream === undefined || pts === AV_NOPTS_VALUE) return null;
  const isFilm = [AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO].includes(stream.codecpar.codecType as never);
  if (!isFilm || (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0) return null;
  const start = secondsOf(pts, stream);
  return { start, end: start + secondsOf(duration, stream) };
}

/** From `startSeconds` to the end of a track, as the file says; null where it does not. */
export function declaredSeconds(input: Input, stream: Stream, startSeconds: number): number | null {
  const { context, fileSeconds, trackSeconds } = input;
  const tag = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(stream.metadata?.get("DURATION") ?? "");
  const tagged = tag ? Number(tag[1]) * 3600 + Number(tag[2]) * 60 + Number(tag[3]) : 0;
  const end = trackSeconds.get(stream.index) || tagged || (context.nbStreams === 1 ? fileSeconds : 0);
  const seconds = end - startSeconds;
  return end > 0 && seconds > 0 && seconds < DECLARED_SECONDS_MAX ? seconds : null;
}

/** Of an AVI file, whose lengths FFmpeg cuts to what is there; 0: unknown. */
export function declaredBytes({ source, context }: Input): number {
  const size = context.iformat?.name === "avi" ? source.read(4, 4).readUInt32LE(0) : 0;
  return size < UNTRUE_BYTES ? size : 0;
}

/** When the file and its tracks end, as far as it has said so. */
function endsOf({ duration, streams }: FormatContext): Pick<Input, "fileSeconds" | "trackSeconds"> {
  const known = streams.filter((stream) => stream.duration > 0n);
  const ends = known.map((stream): [number, number] => {
    const start = stream.startTime === AV_NOPTS_VALUE ? 0n : stream.startTime;
    return [stream.index, secondsOf(start + stream.duration, stream)];
  });
  const seconds = duration > 0n ? Number(duration) / MICROSECONDS : 0;
  return { fileSeconds: seconds < DECLARED_SECONDS_MAX ? seconds : 0, trackSeconds: new Map(ends) };
}

/** By its header, of which FFmpeg believes no length where the file is cut; 0: unknown. */
function asfSeconds(source: Source): number {
  const head = source.read(0, ASF_HEAD_BYTES);
  const properties = head.indexOf(ASF_FILE_PROPERTIES);
  if (properties < 0 || properties + 88 > head.length) return 0;
  const seconds = Number(head.readBigUInt64LE(properties + 64)) / 1e7; // with what is read ahead
  const ahead = Number(head.readBigUInt64LE(properties + 80)) / 1e3;
  return seconds > ahead && seconds < DECLARED_SECONDS_MAX ? seconds - ahead : 0;
}

export const secondsOf = (ticks: bigint, { timeBase }: { timeBase: { num: number; den: number } }): number =>
  (Number(ticks) * timeBase.num) / timeBase.den;
