/** The events of OpenAI's realtime transcription that one turn needs, as a client of it sends and reads them. */
import { toInt16 } from "../../audio/pcm.ts";
import { promptWithKeywords } from "../../engine/protocol/recognition.ts";
import { styled } from "../dialects/language-styles.ts";
import type { RealtimeFlags, TranscriptionFlags } from "../dialects/preset.ts";
import { errorFailure, UpstreamFailure } from "../transport/failure.ts";

/** What is asked of one turn. */
export type TurnRequest = {
  language: string | null;
  /** Where it is detected: one of these; absent: one of any. */
  languages?: readonly string[];
  prompt: string;
  /** Words to prefer. */
  keywords?: readonly string[];
};

type Flags = { realtime: RealtimeFlags; transcription: TranscriptionFlags };

/** The session of one turn, which this side commits. */
export function sessionUpdate(
  request: TurnRequest,
  { realtime, transcription: flags }: Flags,
  model: string,
) {
  const { language, languages = [], keywords = [] } = request;
  const named = language && flags.language && styled(language, flags.language.style);
  const prompt = flags.lists ? request.prompt : promptWithKeywords(request);
  const transcription = {
    model,
    ...(named ? { language: named } : {}),
    ...(flags.prompt && prompt !== "" ? { prompt } : {}),
    ...(flags.lists && languages.length > 0 ? { languages } : {}),
    ...(flags.lists && keywords.length > 0 ? { keywords } : {}),
  };
  const input = { format: { type: "audio/pcm", rate: realtime.rate }, transcription, turn_detection: null };
  const include = realtime.logprobs ? { include: ["item.input_audio_transcription.logprobs"] } : {};
  return JSON.stringify({
    type: "session.update",
    session: { type: "transcription", audio: { input }, ...include },
  });
}

export const append = (samples: Float32Array): string =>
  `{"type":"input_audio_buffer.append","audio":"${Buffer.from(toInt16(samples).buffer).toString("base64")}"}`;

export const COMMIT = '{"type":"input_audio_buffer.commit"}';

export type TurnEvent =
  | { is: "ready" }
  | { is: "delta"; text: string; confidence: number }
  | { is: "completed"; transcript: string; confidence: number }
  | { is: "failed"; failure: UpstreamFailure };

/** Null for events that mean nothing here. Throws `UpstreamFailure` for what is none, or is longer than `lengthMax`. */
export function turnEvent(text: string, lengthMax: number): TurnEvent | null {
  const event = parsed(text, lengthMax);
  const type = String(event.type ?? "");
  if (type === "error") return { is: "failed", failure: errorFailure(event.error) };
  if (type === "session.updated" || type === "transcription_session.updated") return { is: "ready" };
  const about = /^conversation\.item\.input_audio_transcription\.(\w+)$/.exec(type)?.[1];
  const confidence = confidenceIn(event.logprobs);
  if (about === "delta") return { is: "delta", text: textOf(event.delta), confidence };
  if (about === "completed" && typeof event.transcript !== "string")
    throw new UpstreamFailure("faulty", "the end of a turn has no transcript");
  if (about === "completed") return { is: "completed", transcript: textOf(event.transcript), confidence };
  return about === "failed" ? { is: "failed", failure: errorFailure(event.error) } : null;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The mean of the tokens; 1 where the server does not say. */
function confidenceIn(logprobs: unknown): number {
  if (!Array.isArray(logprobs) || logprobs.length === 0) return 1;
  const sum = logprobs.reduce((total: number, each) => total + Math.min(0, Number(each?.logprob) || 0), 0);
  return Math.exp(sum / logprobs.length);
}

function parsed(text: string, lengthMax: number): Record<string, unknown> {
  if (text.length > lengthMax) throw new UpstreamFailure("faulty", `an event has ${text.length} characters`);
  try {
    const value = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // as any other event that is none
  }
  throw new UpstreamFailure("faulty", `the server sent no event: ${text.slice(0, 200)}`);
}
