/** A clip as server-sent events: its audio in pieces, the times of its words where they are told, and what was used. */
import type { SpeechFormat } from "../../audio/formats.ts";
import type { Clip } from "../../speech/synthesizer.ts";
import type { WordTime } from "../../speech/words/timeline.ts";
import { event } from "../middleware/stream.ts";

const DELTA_LIMIT = 32 * 1024; // bytes of audio in one event; even, so that a PCM delta holds whole samples
const TOKENS_PER_SECOND = 20; // stock clients want a token count; nothing is billed by it

/** The words of a delta may be in the audio of one before it, where the encoder holds some back. */
export async function* speechEvents(
  clip: Clip,
  format: SpeechFormat,
  characters: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of clip.chunks) {
    for (let offset = 0; offset < chunk.length; offset += DELTA_LIMIT) {
      const audio = Buffer.from(chunk.subarray(offset, offset + DELTA_LIMIT)).toString("base64");
      const delta = { type: "speech.audio.delta", audio, response_format: format };
      yield event("speech.audio.delta", { ...delta, ...timesOf(clip) });
    }
  }
  const audioSeconds = Math.round(clip.audioSeconds() * 1000) / 1000;
  const output = Math.ceil(audioSeconds * TOKENS_PER_SECOND);
  yield event("speech.audio.done", {
    type: "speech.audio.done",
    usage: {
      input_tokens: characters,
      output_tokens: output,
      total_tokens: characters + output,
      characters,
      audio_seconds: audioSeconds,
    },
    ...timesOf(clip),
  });
}

/** What was heard since the last event; nothing where no times were asked for. */
function timesOf(clip: Clip): { timestamps?: WordTime[] } {
  const timestamps = clip.words();
  return timestamps.length > 0 ? { timestamps } : {};
}
