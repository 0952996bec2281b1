/** A synthesis task as the request that a kind of server understands. */

import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { Refusal } from "../../errors.ts";
import type { Outgoing } from "../transport/exchange.ts";
import { styled } from "./language-styles.ts";
import type { SpeechFlags } from "./preset.ts";

/** `model`: the server's own name of it. */
export function synthesisRequest(task: SynthesisTask, flags: SpeechFlags, model: string): Outgoing {
  checkLimits(task, flags);
  return flags.dialect === "nim" ? nimRequest(task, flags) : openaiRequest(task, flags, model);
}

/** What the catalogue could not refuse: it counts the whole text, and this is one segment of it. */
function checkLimits({ text, instructions }: SynthesisTask, flags: SpeechFlags): void {
  const { characters_max, instructions_max } = flags;
  const length = [...text].length;
  if (characters_max !== null && length > characters_max)
    throw new Refusal("inference_rejected", `A segment of ${length} characters is too long for this voice.`);
  if (instructions_max !== null && [...instructions].length > instructions_max)
    throw new Refusal(
      "inference_rejected",
      `instructions must have at most ${instructions_max} characters for this voice.`,
      { param: "instructions" },
    );
}

function openaiRequest(task: SynthesisTask, flags: SpeechFlags, model: string): Outgoing {
  const body = {
    ...flags.extra,
    ...(flags.model === "send" ? { model } : {}),
    input: task.text,
    voice: voiceOf(task),
    response_format: flags.audio,
    ...(task.words ? { stream: false } : streamFields(task, flags)),
    ...(flags.speed !== null && task.speed !== 1 ? { speed: task.speed } : {}),
    ...(flags.instructions_max !== null && task.instructions !== ""
      ? { instructions: task.instructions }
      : {}),
    ...languageField(task, flags),
  };
  return {
    path: task.words && flags.timed_path ? flags.timed_path : flags.path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

const LEAST_WEIGHT = 0.001; // as blends are written

/** A blend as `a(66.667)+b(33.333)`. */
const voiceOf = ({ speaker, blend }: SynthesisTask): string =>
  blend
    ?.map((part) => `${part.speaker}(${Number(Math.max(LEAST_WEIGHT, 100 * part.weight).toFixed(3))})`)
    .join("+") ?? speaker;

/** `stream_format` alone is what OpenAI's own API knows; servers of the flag `stream` do not stream without it. */
function streamFields({ speed }: SynthesisTask, { stream, streams_naturally }: SpeechFlags) {
  if (streams_naturally && speed !== 1) return {};
  if (stream === "flag") return { stream: true };
  return stream === "format" ? { stream: true, stream_format: "audio" } : {};
}

function languageField({ language }: SynthesisTask, flags: SpeechFlags): Record<string, string> {
  const name = flags.language && styled(language, flags.language.style);
  return flags.language && name !== null ? { [flags.language.field]: name } : {};
}

/** SSML carries the speed; the text must not be read as markup then. */
function nimRequest(task: SynthesisTask, flags: SpeechFlags): Outgoing {
  const form = new FormData();
  for (const [name, value] of Object.entries(flags.extra)) form.set(name, String(value));
  const rate = `${Math.round(task.speed * 100)}%`;
  const text =
    task.speed === 1 ? task.text : `<speak><prosody rate="${rate}">${escaped(task.text)}</prosody></speak>`;
  form.set("text", text);
  form.set("voice", task.speaker);
  form.set("language", styled(task.language, "bcp47")!);
  form.set("encoding", "LINEAR_PCM");
  if (flags.rate !== null) form.set("sample_rate_hz", String(flags.rate));
  return { path: flags.path, body: form };
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
