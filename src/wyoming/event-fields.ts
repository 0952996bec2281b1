/** The fields of events that clients send: read, checked and limited. Unknown fields are ignored, as the protocol asks. */
import { languageHint } from "../language-tag.ts";
import { invalid, type WyomingEvent } from "./framing.ts";

/** Signed integers, `width` bytes each, lowest byte first, channels interleaved. */
export type PcmFormat = { rate: number; width: number; channels: number };

/** Null where the client leaves the choice to the server. */
export type ModelSelection = { model: string | null; language: string | null };
export type VoiceSelection = { voice: string | null; language: string | null };

const NAME_MAX = 256;
/** One reader takes both: what begins with `<speak>` is SSML. */
const TEXT_FORMATS: unknown[] = [undefined, null, "text", "ssml"];

export const modelSelectionOf = ({ data }: WyomingEvent): ModelSelection => ({
  model: nameIn(data, "name"),
  language: languageHint(nameIn(data, "language")),
});

/** Of `synthesize` and `synthesize-start`. */
export function voiceSelectionOf({ type, data }: WyomingEvent): VoiceSelection {
  const { voice, text_format: textFormat } = data;
  if (!TEXT_FORMATS.includes(textFormat)) throw invalid(`${type}: text_format must be "text" or "ssml".`);
  if (voice === undefined || voice === null) return { voice: null, language: null };
  if (typeof voice !== "object" || Array.isArray(voice))
    throw invalid(`${type}: voice must be a JSON object.`);
  const named = voice as Record<string, unknown>;
  return { voice: nameIn(named, "name"), language: languageHint(nameIn(named, "language")) };
}

export function textOf({ type, data: { text } }: WyomingEvent): string {
  if (typeof text !== "string") throw invalid(`${type}: text is required.`);
  return text;
}

export function pcmFormatOf({ type, data }: WyomingEvent): PcmFormat {
  const whole = (name: string, min: number, max: number) => {
    const value = data[name];
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max)
      return value as number;
    throw invalid(`${type}: ${name} must be a whole number from ${min} to ${max}.`);
  };
  return {
    rate: whole("rate", 4000, 192_000),
    width: whole("width", 1, 4),
    channels: whole("channels", 1, 8),
  };
}

/** An empty name is none: clients send those for settings that were cleared. */
function nameIn(data: Record<string, unknown>, field: string): string | null {
  const value = data[field];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string" && value.length <= NAME_MAX) return value;
  throw invalid(`${field} must be text of ${NAME_MAX} characters at most.`);
}
