/**
 * How long FFmpeg says that recordings are, by itself: `bun ffmpeg-seconds.ts FILE …` prints a line of JSON for each,
 * which is what it declares, and what it decodes when errors are passed over. Null: no recording.
 */
import { AV_LOG_QUIET, AVERROR_EOF, AVMEDIA_TYPE_AUDIO } from "node-av/constants";
import { Codec, CodecContext, FormatContext, Frame, Log, Packet } from "node-av/lib";

export type FfmpegSeconds = { format: string; declared: number; decoded: number };

/** Whose length is known by their last times. Of others only headers are believed: FFmpeg guesses the rest by the bit rate. */
const MEASURED = ["mpegts", "mpeg", "flv"];
const MICROSECONDS = 1e6;
const ERRORS_MAX = 1000;
type Stream = FormatContext["streams"][number];

Log.setLevel(AV_LOG_QUIET);
for (const path of process.argv.slice(2)) console.log(JSON.stringify(secondsOf(path)));
process.exit(0);

function secondsOf(path: string): FfmpegSeconds | null {
  const context = new FormatContext();
  if (context.openInputSync(path) < 0) return null;
  const format = context.iformat?.name ?? "";
  const ofHeader = declaredBy(context);
  if (context.findStreamInfoSync() < 0) return null;
  const stream = soundOf(context);
  if (stream === undefined) return null;
  const declared = MEASURED.includes(format) ? declaredBy(context) : ofHeader;
  return { format, declared, decoded: decodedSeconds(context, stream) };
}

const soundOf = ({ streams }: FormatContext): Stream | undefined =>
  streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);

/** Of the track; of the file where it has no other. */
function declaredBy(context: FormatContext): number {
  const stream = soundOf(context);
  if (stream && stream.duration > 0n)
    return (Number(stream.duration) * stream.timeBase.num) / stream.timeBase.den;
  return context.nbStreams === 1 && context.duration > 0n ? Number(context.duration) / MICROSECONDS : 0;
}

function decodedSeconds(context: FormatContext, stream: Stream): number {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(stream.codecpar);
  decoder.pktTimebase = stream.timeBase;
  if (decoder.open2Sync(codec) < 0) return 0;
  const [packet, frame] = [new Packet(), new Frame()];
  packet.alloc();
  frame.alloc();
  let [seconds, errors] = [0, 0];
  for (let isEnd = false; !isEnd; packet.unref()) {
    const status = context.readFrameSync(packet);
    isEnd = status === AVERROR_EOF || (status < 0 && ++errors > ERRORS_MAX);
    if (!isEnd && (status < 0 || packet.streamIndex !== stream.index)) continue;
    decoder.sendPacketSync(isEnd ? null : packet);
    while (decoder.receiveFrameSync(frame) >= 0) seconds += frame.nbSamples / frame.sampleRate;
  }
  return seconds;
}
