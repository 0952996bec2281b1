/** Each counter of the server that has counted something as a sentence. */
import { count } from "../format/numbers.ts";

/** `some` takes a count of one or more; `isGood`: the count is no sign of trouble. */
type Sentence = { some: (value: number) => string; isGood?: true };

const times = (value: number, one: string, many: string) => `${count(value)} ${value === 1 ? one : many}`;

const SENTENCES: Record<string, Sentence> = {
  loquat_requests_total: {
    some: (value) => `${times(value, "request has", "requests have")} reached an audio endpoint.`,
    isGood: true,
  },
  loquat_limit_store_failures_total: {
    some: (value) =>
      `${times(value, "decision", "decisions")} about rate limits had to be made without the shared store, which did not answer in time.`,
  },
  loquat_webhook_attempts_total: {
    some: (value) =>
      `${times(value, "attempt was", "attempts were")} made to send events to webhook endpoints.`,
    isGood: true,
  },
  loquat_ledger_log_failures_total: {
    some: (value) =>
      `${times(value, "entry", "entries")} of the request log could not be written. The server's log has the cause.`,
  },
  loquat_refusals_total: {
    some: (value) =>
      `${times(value, "request or event was", "requests or events were")} answered with an error, those of these pages included: refused (4xx) or failed (5xx).`,
    isGood: true,
  },
  loquat_audio_seconds_total: {
    some: (value) =>
      `${times(Math.round(value), "second", "seconds")} of audio were recognized or synthesized.`,
    isGood: true,
  },
  loquat_workers_ended_total: {
    some: (value) =>
      `${times(value, "thread or process has", "threads or processes have")} ended unexpectedly and had to be replaced. The server's log names them.`,
  },
  loquat_engine_node_retries_total: {
    some: (value) =>
      `${times(value, "task was", "tasks were")} given to another engine node, because the first one failed.`,
  },
  loquat_upstream_failures_total: {
    some: (value) =>
      `${times(value, "request to an upstream", "requests to upstreams")} failed. The server's log has the causes.`,
  },
  loquat_log_lines_dropped_total: {
    some: (value) =>
      `${times(value, "line", "lines")} of the log had to be dropped, because nothing read the server's standard error.`,
  },
  loquat_spans_dropped_total: {
    some: (value) =>
      `${times(value, "span of a trace was", "spans of traces were")} not delivered, because the collector did not take them.`,
  },
  loquat_conversation_responses_total: {
    some: (value) => `${times(value, "response was", "responses were")} given in conversations.`,
    isGood: true,
  },
  loquat_conversation_guesses_total: {
    some: (value) =>
      `${times(value, "answer was", "answers were")} asked for before the turn of the caller had ended.`,
    isGood: true,
  },
  loquat_conversation_interruptions_total: {
    some: (value) => `${times(value, "sound was", "sounds were")} heard of callers during an answer.`,
    isGood: true,
  },
  loquat_llm_tokens_total: {
    some: (value) => `${times(value, "token was", "tokens were")} read or written by language models.`,
    isGood: true,
  },
  loquat_jobs_ended_total: {
    some: (value) => `${times(value, "job has", "jobs have")} ended: completed, failed or cancelled.`,
    isGood: true,
  },
  loquat_job_audio_seconds_total: {
    some: (value) =>
      `${times(Math.round(value), "second", "seconds")} of audio were recognized or synthesized in jobs.`,
    isGood: true,
  },
  loquat_unlogged_refusals_total: {
    some: (value) =>
      `${times(value, "refused request was", "refused requests were")} left out of the request log: it has at most 60 refusals of an organization a minute.`,
    isGood: true,
  },
  loquat_untrusted_auth_headers_total: {
    some: (value) =>
      `${times(value, "request", "requests")} named a person in a header without coming from a trusted proxy; the header was removed.`,
  },
};

/** The sentence of a counter of one or more; one that has none yet is shown under its name. */
export const sentenceOf = (name: string, value: number): string =>
  SENTENCES[name]?.some(value) ?? `${name}: ${count(value)}`;

/** Whether the count is worth a look at the log. */
export const isTrouble = (name: string): boolean => !SENTENCES[name]?.isGood;
