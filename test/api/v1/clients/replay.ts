/**
 * What applications send to a server like OpenAI's when nothing but its address and key are set: their own names of
 * models and voices, and the fields and headers of their sources, which each entry names.
 */

/** What must come back: MP3, PCM, a transcript as JSON, events, or a refusal in the envelope. */
export type Outcome = "mp3" | "pcm" | "text" | "verbose" | "speech events" | "text or events" | "200";

/** `file`: the name that the client gives the recording, and what it holds. */
export type Replay = {
  client: string;
  source: string;
  path: string;
  outcome: Outcome;
  method?: "GET";
  headers?: Record<string, string>;
  json?: Record<string, unknown>;
  form?: [name: string, value: string][];
  file?: [name: string, holds: "wav" | "mp3" | "opus"];
};
