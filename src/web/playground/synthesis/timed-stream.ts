/**
 * Streamed speech with the times of its words: events, whose audio is passed on as bytes. A voice whose engine does not know
 * the times is streamed without them, and not asked again.
 */
import { type Client, jsonBody } from "../../api/public-api.ts";
import { ServerError } from "../../api/server.ts";
import type { SpeechRequest } from "../../api/snippets.ts";

/** In seconds from the start. */
export type WordTime = { word: string; start_time: number; end_time: number };

/** `words` grows while the body is read; null where they are not known. */
export type TimedStream = { body: ReadableStream<Uint8Array<ArrayBuffer>>; words: WordTime[] | null };

const untimed = new Set<string>();

export async function openTimedStream(
  client: Client,
  request: SpeechRequest,
  signal: AbortSignal,
): Promise<TimedStream> {
  const pcm = { ...request, response_format: "pcm" };
  const ask = (more: object) => client("/audio/speech", { ...jsonBody({ ...pcm, ...more }), signal });
  const key = `${request.model} ${request.voice}`;
  if (!untimed.has(key)) {
    try {
      const response = await ask({ stream_format: "sse", return_timing: true });
      const words: WordTime[] = [];
      return { body: audioOf(response.body!, words), words };
    } catch (error) {
      if (!(error instanceof ServerError) || error.code !== "word_times_not_supported") throw error;
      untimed.add(key);
    }
  }
  const response = await ask({ stream_format: "audio" });
  return { body: response.body!, words: null };
}

type Event = { audio?: string; timestamps?: WordTime[]; error?: { message: string } };

/** The audio of the events, whose words are added to `words`. */
function audioOf(
  events: ReadableStream<Uint8Array>,
  words: WordTime[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let rest = "";
  return events.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          if (!line.startsWith("data: ")) continue;
          const { audio, timestamps = [], error } = JSON.parse(line.slice("data: ".length)) as Event;
          if (error) throw new Error(error.message);
          words.push(...timestamps);
          if (audio) controller.enqueue(bytesOf(audio));
        }
      },
    }),
  );
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}
