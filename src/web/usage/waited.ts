/** Of which endpoints the dashboard tells how long requests waited, and for what. */
import type { Reply } from "../api/server.ts";
import { ENDPOINTS } from "./endpoint-names.ts";

type Measure = Reply<"GET /api/organizations/:organization/latency">["measure"];

/** `id`: in the address. */
export type Waited = { id: string; endpoint: string; name: string; measure: Measure };

/** Recordings are answered as a whole. */
const MEASURES: Record<string, Measure> = {
  "/v1/audio/speech": "first_output",
  "/v1/audio/transcriptions": "answer",
  "/v1/realtime": "final_text",
  "/v1/audio/translations": "answer",
  "/elevenlabs/v1/text-to-speech": "first_output",
  "/elevenlabs/v1/speech-to-text": "answer",
  "/elevenlabs/v1/speech-to-text/realtime": "final_text",
  "/deepgram/v1/speak": "first_output",
  "/deepgram/v1/listen": "answer",
  "/deepgram/v2/listen": "final_text",
  "/jambonz/synthesize": "first_output",
  "/jambonz/transcribe": "final_text",
};

const LISTEN = "/deepgram/v1/listen";
/** The endpoint takes recordings, and is live too. */
const LIVE_LISTEN: Waited = {
  ...{ id: `${LISTEN}#live`, endpoint: LISTEN },
  ...{ name: "Live transcriptions (Deepgram)", measure: "final_text" },
};

const WAITED: Waited[] = ENDPOINTS.flatMap(({ id, name }) => {
  const measure = MEASURES[id];
  const waited = measure ? [{ id, endpoint: id, name, measure }] : [];
  return id === LISTEN ? [...waited, LIVE_LISTEN] : waited;
});

/** What a card of waits is called, and what is to know of them. */
export const WAITED_FOR: Record<Measure, { title: string; hint: string | null }> = {
  first_output: { title: "First audio", hint: null },
  answer: {
    title: "Whole answers",
    hint: "From the beginning of the upload to the end of the answer, of requests that succeeded. The share of audio is that time as a part of the length of the recording: less is faster.",
  },
  final_text: {
    title: "Final texts",
    hint: "From the end of an utterance, after the silence that ends it, to its final text: of each session, what half of its utterances waited at most. Sessions of versions before this was recorded are left out, and so is how soon the first text of an utterance came: it is not recorded.",
  },
};

/** Those that were used, and the one that is asked for. */
export const waitedOf = (used: readonly string[], asked: string | null): Waited[] =>
  WAITED.filter(({ id, endpoint }) => used.includes(endpoint) || id === asked);
