/**
 * Decodes with FFmpeg, only in a process of its own: FFmpeg is GPL here, and uploads are hostile.
 *
 *   stdin (the file) ──> demux ──> decode ──> mono s16le ──> stdout         exit code: the result
 *
 * The process confines itself before it reads a byte: files, sockets, system calls, memory, time (`confine`). FFmpeg gets
 * the bytes in memory, a short list of formats and no protocols, so no name inside a file can open anything.
 *
 * The times of a container count: sound that begins after its pictures, and sound that is missing, is silence.
 */
import { AV_LOG_QUIET, AV_NOPTS_VALUE, AVERROR_EAGAIN, AVERROR_EOF } from "node-av/constants";
import { type CodecContext, Frame, Log, Packet } from "node-av/lib";
import type { DecodeReport } from "../../../src/engine/media/decode-report.ts";
import { GAP_SECONDS, GAP_SECONDS_MAX } from "../source/block.ts";
import { unreadFormat } from "../source/known-formats.ts";
import { DecodeFailure, restBehind, type Source } from "../source/source.ts";
import type { Upload } from "../source/upload.ts";
import { FrameBytes, type Place } from "./frame-bytes.ts";
import {
  declaredBytes,
  declaredSeconds,
  type Input,
  ignoreOthers,
  openInput,
  openTrack,
  refuseTooMany,
  secondsOf,
  timeOf,
} from "./input.ts";
import { followingPart, joinedParts } from "./joined-parts.ts";
import { Output } from "./output.ts";
import { recordingEnd } from "./recording-end.ts";

const BACK_SECONDS = 1; // times that begin anew, and do not only overlap
const JUMP_SECONDS = 10; // where times jump for no reason
const FAILURES_MAX = 16; // one after another, before a file counts as ended

type Stream = Input["tracks"][number];
/** In bytes of the file: the first and the last packet of a track. */
type Places = { first: number; last: number };

Log.setLevel(AV_LOG_QUIET); // its messages would go to standard error

export function decode(upload: Upload): void {
  const found = unreadFormat(upload.source);
  if (found !== undefined) throw new DecodeFailure("unsupported", found);
  const tracks: Track[] = [];
  try {
    for (const joined of joinedParts(upload.source))
      for (let part: Source | null = joined; part !== null; ) part = decodeJoined(upload, part, tracks);
  } finally {
    Object.assign(upload.report, reportOf(tracks, upload.sampleRate));
  }
  if (countOf(tracks) === 0) throw new DecodeFailure("empty");
}

/** A recording that cannot be read takes nothing from those before it. */
function decodeJoined(upload: Upload, source: Source, tracks: Track[]): Source | null {
  const isFirst = tracks.length === 0;
  try {
    return decodePart(upload, source, tracks);
  } catch (error) {
    if (isFirst || !(error instanceof DecodeFailure) || error.reason === "tooLong") throw error;
    addUnread(upload.report, source.sizeBytes);
    return null;
  }
}

function addUnread(report: DecodeReport, sizeBytes: number): void {
  report.unreadBytes = (report.unreadBytes ?? 0) + sizeBytes;
}

/** Adds its first track that is not silent, or its first, and those that follow it. Returns what is joined to it. */
function decodePart(upload: Upload, source: Source, tracks: Track[]): Source | null {
  let track = decodeFirst(upload, source, tracks);
  for (let next = track.following(); next !== null; next = track.following()) {
    const input = openInput(source);
    const stream = input.tracks.find(({ index }) => index === next);
    if (stream === undefined) break;
    track = new Track(input, stream, outputFor(upload, tracks));
    track.isFollowing = true;
    tracks.push(track);
    track.decode();
  }
  const soundEnd = track.endBytes ?? source.sizeBytes;
  const following = followingPart(source, soundEnd);
  if (following !== null) return following;
  const end = recordingEnd(source, soundEnd);
  if (track.input.bareFormat === null) addUnread(upload.report, restBehind(source, end));
  return null;
}

function decodeFirst(upload: Upload, source: Source, tracks: Track[]): Track {
  const place = tracks.length;
  let first: Track | null = null;
  for (let index = 0, trackCount = 1; index < trackCount; index++) {
    const input = openInput(source);
    trackCount = input.tracks.length;
    const output = outputFor(upload, tracks.slice(0, place), trackCount > 1);
    const track = new Track(input, input.tracks[index]!, output);
    tracks[place] = track;
    track.decode();
    if (!output.isSilent) return track;
    first ??= track;
  }
  tracks[place] = first!;
  first!.output.writeHeldSilence();
  return first!;
}

/** Of what follows these tracks. */
const outputFor = ({ sampleRate, maxSamples }: Upload, before: readonly Track[], holdsSilence = false) =>
  new Output({ sampleRate, maxSamples: maxSamples - countOf(before), holdsSilence });

const countOf = (tracks: readonly Track[]) => tracks.reduce((sum, { output }) => sum + output.count, 0);

/** Of tracks that follow each other. */
function reportOf(tracks: readonly Track[], sampleRate: number): DecodeReport {
  const sumOf = (of: (track: Track) => number | null) =>
    tracks.reduce((sum, track) => sum + (of(track) ?? 0), 0);
  const broken = tracks.findIndex(({ isBroken }) => isBroken);
  return {
    declaredSeconds: sumOf(({ declaredSeconds }) => declaredSeconds),
    lostSeconds: sumOf(({ lostSeconds }) => lostSeconds),
    skippedSeconds: sumOf(({ skippedSeconds }) => skippedSeconds),
    ...(broken >= 0 && { brokenAtSeconds: countOf(tracks.slice(0, broken + 1)) / sampleRate }),
  };
}

class Track {
  /** How long the file says that it is; 0: it is unknown; null: not yet known. */
  declaredSeconds: number | null = null;
  /** What could not be decoded. */
  lostSeconds = 0;
  /** By how much the times of the file jump forward. */
  skippedSeconds = 0;
  /** Where what was read of it and of the others ends in the file; null where packets have no place. */
  endBytes: number | null = null;
  /** It goes on where another track has ended, so that the times before it do not count. */
  isFollowing = false;
  /** Reading ended before the end. */
  isBroken = false;
  readonly #decoder: CodecContext;
  readonly #frames: FrameBytes | null;
  /** Something could not be read since the last frame that was placed. */
  #hasFailed = false;
  /** The first and the last time in the file, and what is to be added to its times. */
  #startSeconds = Number.POSITIVE_INFINITY;
  #endSeconds = 0;
  #shift: number | null = null;
  /** Where tracks begin and end in the file, in which more may appear. */
  readonly #places = new Map<number, Places>();

  constructor(
    readonly input: Input,
    readonly stream: Stream,
    readonly output: Output,
  ) {
    this.#decoder = openTrack(stream);
    this.#frames = input.bareFormat === null ? null : new FrameBytes(input.source, input.bareFormat);
  }

  decode(): void {
    const { context } = this.input;
    const packet = new Packet();
    packet.alloc();
    const frame = new Frame();
    frame.alloc();
    let failures = 0;
    for (let isEnd = false; !isEnd; packet.unref()) {
      const status = context.readFrameSync(packet);
      isEnd = status === AVERROR_EOF || failures === FAILURES_MAX;
      if (status < 0 && !isEnd) {
        failures++;
        this.#hasFailed = true;
        continue;
      }
      if (isEnd) this.isBroken = failures > 0;
      else failures = 0;
      if (isEnd) this.#send(null, frame);
      else this.#decodePacket(packet, frame);
    }
    if (this.isBroken) refuseTooMany(context);
    this.output.finish();
    this.#finish();
  }

  #decodePacket(packet: Packet, frame: Frame): void {
    const { pos, size, streamIndex } = packet; // asked for once: each is a call of the library
    const place = { start: Number(pos), size };
    const isMine = streamIndex === this.stream.index;
    if (this.#shift === null || this.declaredSeconds === null) this.#note(packet);
    const isRead = !isMine || this.#send(packet, frame);
    if (isMine) this.#frames?.add(place, isRead);
    if (isRead) this.#passed(place, streamIndex);
  }

  /** The index of the track that begins behind this one, as where recordings are joined, or a program changes its tracks. */
  following(): number | null {
    const end = this.#places.get(this.stream.index)?.last ?? Number.POSITIVE_INFINITY;
    const behind = [...this.#places].filter(([, { first }]) => first > end);
    return behind.toSorted(([, a], [, b]) => a.first - b.first)[0]?.[0] ?? null;
  }

  #passed({ start, size }: Place, streamIndex: number): void {
    if (start < 0) return;
    this.endBytes = Math.max(this.endBytes ?? 0, start + size);
    if (!this.input.grows) return;
    const places = this.#places.get(streamIndex);
    if (places) places.last = start;
    else this.#places.set(streamIndex, { first: start, last: start });
  }

  /** What the packets of all tracks tell: when the file begins, and where it ends. */
  #note(packet: Packet): void {
    if (this.isFollowing && packet.streamIndex !== this.stream.index) return;
    const time = timeOf(this.input, packet);
    if (time !== null) this.#endSeconds = Math.max(this.#endSeconds, time.end);
    if (this.#shift !== null) return;
    this.#startSeconds = Math.min(this.#startSeconds, time?.start ?? Number.POSITIVE_INFINITY);
    if (packet.streamIndex !== this.stream.index) return;
    const start = Number.isFinite(this.#startSeconds) ? this.#startSeconds : 0;
    this.#shift = -start;
    this.declaredSeconds = declaredSeconds(this.input, this.stream, start);
    if (this.declaredSeconds !== null || this.input.fileSeconds === 0) ignoreOthers(this.input, this.stream);
  }

  #finish(): void {
    const { count, options } = this.output;
    const seconds = count / options.sampleRate;
    if (this.#frames) this.lostSeconds += this.#frames.lostPart() * seconds;
    const { source, fileSeconds } = this.input;
    const promisedBytes = declaredBytes(this.input);
    if (promisedBytes > source.sizeBytes) this.declaredSeconds = (seconds * promisedBytes) / source.sizeBytes;
    else if (fileSeconds > 0) this.declaredSeconds ??= seconds + Math.max(0, fileSeconds - this.#endSeconds);
  }

  /** False where it could not be decoded. */
  #send(packet: Packet | null, frame: Frame): boolean {
    let status = this.#decoder.sendPacketSync(packet);
    let isWhole = this.#receive(frame);
    if (status === AVERROR_EAGAIN) {
      status = this.#decoder.sendPacketSync(packet); // there is room for it now
      isWhole = this.#receive(frame);
    }
    const isDecoded = status >= 0 && isWhole;
    if (!isDecoded) this.#hasFailed = true;
    return isDecoded;
  }

  /** False where what was sent could not be decoded. */
  #receive(frame: Frame): boolean {
    let status = this.#decoder.receiveFrameSync(frame);
    for (; status >= 0; status = this.#decoder.receiveFrameSync(frame)) {
      if (this.input.isTimed || this.#hasFailed) this.#place(frame.pts);
      this.output.write(frame);
    }
    return status === AVERROR_EAGAIN || status === AVERROR_EOF;
  }

  /** Fills with silence what is missing before a frame. */
  #place(pts: bigint): void {
    if (pts === AV_NOPTS_VALUE || this.#shift === null) return;
    const { count, options } = this.output;
    const gap = secondsOf(pts, this.stream) + this.#shift - count / options.sampleRate;
    const isJump = this.input.jumps && count > 0 && Math.abs(gap) > JUMP_SECONDS;
    if (isJump || gap < -BACK_SECONDS || gap > GAP_SECONDS_MAX) this.#jump(gap);
    else if (gap > GAP_SECONDS) {
      this.output.silence(Math.round(gap * options.sampleRate));
      if (this.#hasFailed || this.input.isGapless) this.lostSeconds += gap;
    }
    this.#hasFailed = false;
  }

  /** Times go on from another place, so that the last of them is no longer the length. */
  #jump(seconds: number): void {
    this.#shift! -= seconds;
    if (!this.input.jumps || this.declaredSeconds === null) return;
    this.declaredSeconds = seconds > 0 ? this.declaredSeconds - seconds : 0;
    this.skippedSeconds += Math.max(0, seconds);
  }
}
