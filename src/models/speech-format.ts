/** In which formats a model's speech may be asked for. AAC needs FFmpeg, and is for aliases only. */
import type { SpeechFormat } from "../audio/encode.ts";
import { FFMPEG_ADVICE } from "../engine/families/families.ts";
import { Refusal } from "../errors.ts";
import type { Names } from "./client-names.ts";
import type { TtsManifest } from "./manifest.ts";

/** Of whole files under an alias. */
export const formatsUnderAlias = ({ speech }: TtsManifest, { aac }: Names): SpeechFormat[] =>
  aac ? [...speech.response_formats, "aac"] : speech.response_formats;

/** `aliased`: the request names the model by an alias. */
type FormatChoice = { format: string; streaming: boolean; aliased: boolean };

export function chooseFormat(
  names: Names,
  { id, manifest }: { id: string; manifest: TtsManifest },
  { format, streaming, aliased }: FormatChoice,
): SpeechFormat {
  const { response_formats, streamable_formats } = manifest.speech;
  const whole = aliased ? formatsUnderAlias(manifest, names) : response_formats;
  const accepted = streaming ? streamable_formats : whole;
  const chosen = accepted.find((candidate) => candidate === format);
  if (chosen) return chosen;
  const list = accepted.length > 0 ? accepted.join(", ") : "nothing";
  const verb = streaming ? "streams" : "produces";
  const advice = aliased && format === "aac" && !names.aac ? ` AAC needs FFmpeg: ${FFMPEG_ADVICE}.` : "";
  throw new Refusal("unsupported_response_format", `${id} ${verb} ${list}, not ${format}.${advice}`, {
    param: "response_format",
  });
}
