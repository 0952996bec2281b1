/** In which formats a model's speech may be asked for. AAC needs FFmpeg, and is for aliases only. */
import { AUDIO_FORMATS, SPEECH_FORMATS, type SpeechFormat } from "../audio/formats.ts";
import { FFMPEG_ADVICE } from "../engine/families/families.ts";
import { Refusal } from "../errors.ts";
import type { Names } from "./client-names.ts";
import type { TtsManifest } from "./manifest.ts";

/** Of whole files and of streams under an alias: the server encodes them all, whatever the model. */
export const formatsUnderAlias = ({ aac }: Names): SpeechFormat[] => [
  ...(aac ? SPEECH_FORMATS : AUDIO_FORMATS),
];

/** `aliased`: the request names the model as other APIs do. */
type FormatChoice = { format: string; streaming: boolean; aliased: boolean };

/** `name`: as the refusal names the model. */
export function chooseFormat(
  names: Names,
  { name, manifest }: { name: string; manifest: TtsManifest },
  { format, streaming, aliased }: FormatChoice,
): SpeechFormat {
  const { response_formats, streamable_formats } = manifest.speech;
  const offered = streaming ? streamable_formats : response_formats;
  const accepted = aliased ? formatsUnderAlias(names) : offered;
  const chosen = accepted.find((candidate) => candidate === format);
  if (chosen) return chosen;
  const isStreamed = streaming && !aliased;
  const list = accepted.length > 0 ? accepted.join(", ") : "nothing";
  const verb = isStreamed ? "streams" : "produces";
  const advice = isStreamed
    ? " Name another response_format, or leave out stream and stream_format."
    : aliased && format === "aac"
      ? ` AAC needs FFmpeg: ${FFMPEG_ADVICE}.`
      : "";
  throw new Refusal("unsupported_response_format", `${name} ${verb} ${list}, not ${format}.${advice}`, {
    param: "response_format",
  });
}
