/** What the sockets of /v1/listen and /v2/listen have in common: the encoding in their query, and their frames. */
import { parseJson } from "../../../bounded-json.ts";
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { Front } from "../../../realtime/front.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import type { ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { appendPieces } from "../../v1/realtime/frames.ts";
import type { EventContext } from "../../v1/realtime/live-session.ts";
import { isHarmless } from "../../v1/realtime/socket-errors.ts";
import type { Begun } from "../live-session.ts";
import { type Query, unsupported } from "../query.ts";
import type { RawAudio } from "../raw-audio.ts";
import { type AudioStream, formatOf } from "./audio-stream.ts";

const ENCODINGS = [
  "linear16",
  "linear32",
  "mulaw",
  "alaw",
  "flac",
  "opus",
  "ogg-opus",
  "speex",
  "g729",
  "amr-nb",
  "amr-wb",
];

export const KEYTERMS_MAX = 100;
const TEXT_MAX = 64 * 1024;

/** Null: the stream begins with the header of a WAV file. */
export function layoutIn(query: Query): RawAudio | null {
  const encoding = query.oneOf("encoding", ENCODINGS);
  if (encoding === null) return null;
  if (encoding !== "linear16" && encoding !== "mulaw" && encoding !== "alaw")
    throw unsupported("encoding", `${encoding} is not read from streams. Send linear16, mulaw or alaw.`);
  const sampleRate = query.whole("sample_rate", { min: 1, max: 768_000 });
  if (sampleRate === null)
    throw invalidInput([{ field: "sample_rate", code: "required", message: "is required with an encoding" }]);
  return { encoding, sampleRate, channels: query.whole("channels", { min: 1, max: 8 }) ?? 1 };
}

/** Until a header says otherwise. */
export const formatAtFirst = (layout: RawAudio | null): LiveFormat =>
  layout ? formatOf(layout) : { type: "audio/pcm", rate: 16_000 };

export const audioBytesIn = (frame: Frame, layout: RawAudio | null): number =>
  typeof frame === "string" ? 0 : Math.floor(frame.length / (layout?.channels ?? 1));

/** An empty binary frame ends the stream, as CloseStream does. */
export function readFrame(frame: Frame): ClientMessage {
  if (typeof frame !== "string")
    return frame.length === 0 ? { type: "CloseStream" } : { type: "audio", bytes: frame };
  if (frame.length > TEXT_MAX) throw unreadable(`is longer than ${TEXT_MAX} characters`);
  const { value, problem } = parseJson(frame);
  if (problem !== null) throw unreadable(problem);
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== "string" || type === "audio") throw unreadable("has no type that is known");
  return value as ClientMessage;
}

export const unreadable = (problem: string) => new Refusal("invalid_event", `The message ${problem}.`);

/** `heardUntil`: all audio until this time of the session, in seconds, was heard. */
type Listening = Begun<Front & { heardUntil(time: number): void }>;

type Received = { bytes: Buffer; context: EventContext };

export async function feed(
  begun: Listening,
  stream: AudioStream,
  { bytes, context }: Received,
): Promise<void> {
  const { session, runner, front, settings } = begun;
  const { audio, found } = stream.push(bytes);
  if (found) {
    begun.settings = { ...settings, format: formatOf(found) };
    runner.perform(session.update(begun.settings, begun.chosen.assumedLanguage, ""));
  }
  if (audio && audio.length > 0) await appendPieces(begun, [audio], context);
  if (!session.isEnding)
    runner.step(() => front.heardUntil(session.receivedSeconds - runner.pendingSeconds()));
}

/** Ends the open utterance; one that is too short goes on. */
export function commit({ session, runner }: Pick<Begun<Front>, "session" | "runner">): void {
  try {
    runner.perform(session.commit());
  } catch (refusal) {
    if (!(refusal instanceof Refusal && isHarmless(refusal))) throw refusal;
  }
}
