/** Each counter of the server as a sentence. */
import { count } from "../format/numbers.ts";

/** `some` takes a count of one or more; `isGood`: the count is no sign of trouble. */
type Sentence = { none: string; some: (value: number) => string; isGood?: true };

const times = (value: number, one: string, many: string) => `${count(value)} ${value === 1 ? one : many}`;

const SENTENCES: Record<string, Sentence> = {
  loquat_requests_total: {
    none: "No request has reached an audio endpoint yet.",
    some: (value) => `${times(value, "request has", "requests have")} reached an audio endpoint.`,
    isGood: true,
  },
  loquat_limit_store_failures_total: {
    none: "The store of the rate limits has always answered in time.",
    some: (value) =>
      `${times(value, "decision", "decisions")} about rate limits had to be made without the shared store, which did not answer in time.`,
  },
  loquat_ledger_log_failures_total: {
    none: "Every entry of the request log was written.",
    some: (value) =>
      `${times(value, "entry", "entries")} of the request log could not be written. The server's log has the cause.`,
  },
  loquat_refusals_total: {
    none: "No request was answered with an error.",
    some: (value) =>
      `${times(value, "request or event was", "requests or events were")} answered with an error.`,
    isGood: true,
  },
  loquat_audio_seconds_total: {
    none: "No audio was recognized or synthesized yet.",
    some: (value) =>
      `${times(Math.round(value), "second", "seconds")} of audio were recognized or synthesized.`,
    isGood: true,
  },
  loquat_workers_ended_total: {
    none: "No thread or process has ended unexpectedly.",
    some: (value) =>
      `${times(value, "thread or process has", "threads or processes have")} ended unexpectedly and had to be replaced. The server's log names them.`,
  },
  loquat_engine_node_retries_total: {
    none: "No task had to be given to another engine node.",
    some: (value) =>
      `${times(value, "task was", "tasks were")} given to another engine node, because the first one failed.`,
  },
  loquat_upstream_failures_total: {
    none: "No request to an upstream failed.",
    some: (value) =>
      `${times(value, "request to an upstream", "requests to upstreams")} failed. The server's log has the causes.`,
  },
  loquat_log_lines_dropped_total: {
    none: "Every line of the log was written.",
    some: (value) =>
      `${times(value, "line", "lines")} of the log had to be dropped, because nothing read the server's standard error.`,
  },
  loquat_spans_dropped_total: {
    none: "Every span of a trace was delivered.",
    some: (value) =>
      `${times(value, "span of a trace was", "spans of traces were")} not delivered, because the collector did not take them.`,
  },
  loquat_conversation_responses_total: {
    none: "No conversation has answered yet.",
    some: (value) => `${times(value, "response was", "responses were")} given in conversations.`,
    isGood: true,
  },
  loquat_conversation_guesses_total: {
    none: "No answer was asked for before its turn had ended.",
    some: (value) =>
      `${times(value, "answer was", "answers were")} asked for before the turn of the caller had ended.`,
    isGood: true,
  },
  loquat_conversation_interruptions_total: {
    none: "No answer was interrupted.",
    some: (value) => `${times(value, "sound was", "sounds were")} heard of callers during an answer.`,
    isGood: true,
  },
  loquat_llm_tokens_total: {
    none: "Language models have neither read nor written a token yet.",
    some: (value) => `${times(value, "token was", "tokens were")} read or written by language models.`,
    isGood: true,
  },
  loquat_unlogged_refusals_total: {
    none: "No refused request was left out of the request log.",
    some: (value) =>
      `${times(value, "refused request was", "refused requests were")} left out of the request log: it has at most 60 refusals of an organization a minute.`,
    isGood: true,
  },
};

/** The sentence of a counter; one that has none yet is shown under its name. */
export function sentenceOf(name: string, value: number): string {
  const sentence = SENTENCES[name];
  if (!sentence) return `${name}: ${count(value)}`;
  return value === 0 ? sentence.none : sentence.some(value);
}

/** Whether the count is worth a look at the log. */
export const isTrouble = (name: string, value: number): boolean => value > 0 && !SENTENCES[name]?.isGood;
