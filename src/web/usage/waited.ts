/** Of which endpoints the dashboard tells how long requests waited, and for what. */
import type { Reply } from "../api/server.ts";
import { ENDPOINTS } from "./endpoint-names.ts";

type Measure = Reply<"GET /api/organizations/:organization/latency">["measure"];

export type Waited = { endpoint: string; name: string; measure: Measure };

/** Recordings are answered as a whole. */
const MEASURES: Record<string, Measure> = {
  "/v1/audio/speech": "first_output",
  "/v1/audio/transcriptions": "answer",
  "/v1/audio/translations": "answer",
  "/elevenlabs/v1/text-to-speech": "first_output",
  "/elevenlabs/v1/speech-to-text": "answer",
  "/deepgram/v1/speak": "first_output",
  "/deepgram/v1/listen": "answer",
  "/jambonz/synthesize": "first_output",
};

const WAITED: Waited[] = ENDPOINTS.flatMap(({ id, name }) => {
  const measure = MEASURES[id];
  return measure ? [{ endpoint: id, name, measure }] : [];
});

/** What a card of waits is called, what they are waits for, and what is to know of them. */
export const WAITED_FOR: Record<Measure, { title: string; what: string; hint: string | null }> = {
  first_output: { title: "First audio", what: "Wait for the first audio", hint: null },
  answer: {
    title: "Whole answers",
    what: "Time until the whole answer",
    hint: "From the beginning of the upload to the end of the answer, of requests that succeeded. The share of audio is that time as a part of the length of the recording: less is faster.",
  },
};

/** Those that were used, and one that is chosen. */
export const waitedOf = (used: readonly string[], chosen: string | null): Waited[] =>
  WAITED.filter(({ endpoint }) => used.includes(endpoint) || endpoint === chosen);
