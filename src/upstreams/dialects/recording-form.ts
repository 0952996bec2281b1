/** A piece of a recording as the request that a transcription server understands: a WAV file of 16 kHz in a form. */

import { firstPiece } from "../../audio/energy-vad.ts";
import { toInt16, wavHeader } from "../../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import { promptWithKeywords, type RecognitionTask } from "../../engine/protocol/recognition.ts";
import type { Outgoing } from "../transport/exchange.ts";
import { styled } from "./language-styles.ts";
import type { TranscriptionFlags } from "./preset.ts";

type Asked = Pick<
  RecognitionTask,
  "language" | "languages" | "translate" | "prompt" | "keywords" | "mustPrefer"
>;

/** `model`: the server's own name of it. */
export function recognitionRequest(
  samples: Float32Array,
  task: Asked,
  { flags, model }: { flags: TranscriptionFlags; model: string },
): Outgoing {
  const form = new FormData();
  for (const [name, value] of Object.entries(flags.extra)) form.set(name, String(value));
  const header = wavHeader(samples.length, ASR_SAMPLE_RATE);
  form.set("file", new Blob([header, toInt16(samples).buffer], { type: "audio/wav" }), "audio.wav");
  if (flags.model === "send") form.set("model", model);
  form.set("response_format", flags.format);
  if (flags.granularities)
    for (const each of ["segment", "word"]) form.append("timestamp_granularities[]", each);
  const language = task.language && flags.language && styled(task.language, flags.language.style);
  if (language && flags.language && (!task.translate || flags.translates_from))
    form.set(flags.language.field, language);
  const prompt = flags.lists ? task.prompt : promptWithKeywords(task);
  if (flags.prompt && prompt !== "") form.set("prompt", prompt);
  if (flags.lists) addLists(form, task);
  const path = task.translate ? (flags.translation_path ?? flags.path) : flags.path;
  return { path, body: form };
}

/** Hotwords are without effect where the server cannot prefer words; keywords it refuses then. */
function addLists(form: FormData, { languages = [], keywords = [], mustPrefer = false }: Asked): void {
  for (const each of languages) form.append("languages[]", each);
  if (mustPrefer) for (const each of keywords) form.append("keywords[]", each);
  else if (keywords.length > 0) form.set("hotwords", keywords.join(", "));
}

/** A part of a recording, in samples. */
export type Piece = { start: number; end: number };

const PROMPT_SECONDS = 30; // so that a stream of text begins early, and estimated times stay near the speech

/** Cut at quiet places, so that none is longer than the server takes, or than `isPrompt` allows. */
export function piecesOf(samples: Float32Array, secondsMax: number, isPrompt: boolean): Piece[] {
  const longest = Math.floor(
    (isPrompt ? Math.min(PROMPT_SECONDS, secondsMax) : secondsMax) * ASR_SAMPLE_RATE,
  );
  const pieces: Piece[] = [];
  let start = 0;
  while (samples.length - start > longest) {
    const cut = firstPiece(samples.subarray(start, start + longest), ASR_SAMPLE_RATE);
    const end = start + Math.max(1, cut);
    pieces.push({ start, end });
    start = end;
  }
  return [...pieces, { start, end: samples.length }];
}
