/**
 * Every metric by name: its type, labels, unit and meaning. docs/monitoring.md has them as a table, and the dashboard and
 * alerts of deploy/grafana name no other.
 *
 * Names follow the semantic conventions of OpenTelemetry, with the unit last. Labels have few values, which clients cannot
 * add to, and never name an organization, a key or a person.
 */

type Definition = {
  type: "counter" | "gauge" | "histogram";
  labels: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  buckets?: readonly number[];
  help: string;
};

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SPEECH = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

/** Of jobs, which may wait for days. */
const WAITED = [1, 5, 15, 60, 300, 900, 3600, 10_800, 43_200, 86_400];

const CONVERSED = [0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 30];

const METRICS = {
  http_server_request_duration_seconds: {
    type: "histogram",
    labels: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    help: "Time until a response begins. Sockets are not in it; a path that matches no route has no http_route.",
  },
  loquat_request_duration_seconds: {
    type: "histogram",
    labels: ["endpoint", "http_response_status_code"],
    buckets: [...SPEECH, 900, 3600],
    help: "Time from an audio request to the end of its response or live session.",
  },
  loquat_time_to_first_output_seconds: {
    type: "histogram",
    labels: ["endpoint", "model"],
    buckets: SPEECH,
    help: "Time from an audio request to its first audio or text. Live sessions are not in it.",
  },
  loquat_engine_wait_seconds: {
    type: "histogram",
    labels: ["engine", "urgency"],
    buckets: [...FAST, 10, 30],
    help: "Time that a task waited for an engine.",
  },
  loquat_engine_task_duration_seconds: {
    type: "histogram",
    labels: ["engine"],
    buckets: SPEECH,
    help: "Time that an engine worked on a task, its start included.",
  },
  loquat_realtime_lag_seconds: {
    type: "histogram",
    labels: [],
    buckets: [0, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
    help: "Received audio that is not processed yet, of every live session once a second.",
  },
  loquat_conversation_stage_seconds: {
    type: "histogram",
    labels: ["stage"],
    buckets: CONVERSED,
    help: "Time of each stage of a response: transcript, first_token, first_clause and first_audio since the one before, voice_to_voice from the caller's last speech to the first sound.",
  },
  loquat_job_wait_seconds: {
    type: "histogram",
    labels: [],
    buckets: WAITED,
    help: "Time from the request that made a job until a node began with it.",
  },
  loquat_ledger_commit_duration_seconds: {
    type: "histogram",
    labels: [],
    buckets: FAST,
    help: "Time until a batch of the ledger was durable or had failed.",
  },
  loquat_event_loop_delay_seconds: {
    type: "histogram",
    labels: [],
    buckets: FAST,
    help: "How late a timer of the event loop is, four times a second.",
  },
  loquat_refusals_total: {
    type: "counter",
    labels: ["error_type", "http_response_status_code"],
    help: "Requests and events of sockets that were answered with an error, by its code. Status 401: no valid key.",
  },
  loquat_requests_total: {
    type: "counter",
    labels: [],
    help: "Requests that reached an audio endpoint.",
  },
  loquat_unlogged_refusals_total: {
    type: "counter",
    labels: [],
    help: "Refused requests beyond those that are logged of an organization in a minute.",
  },
  loquat_untrusted_auth_headers_total: {
    type: "counter",
    labels: [],
    help: "Requests with a header of LOQUAT_AUTH_EMAIL_HEADER and the like that came from no proxy. It was removed.",
  },
  loquat_webhook_attempts_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Attempts to deliver events to webhook endpoints: delivered or failed.",
  },
  loquat_limit_store_failures_total: {
    type: "counter",
    labels: [],
    help: "Decisions about limits that a node made by itself, because the shared store did not answer in time.",
  },
  loquat_ledger_log_failures_total: {
    type: "counter",
    labels: [],
    help: "Rows of the request log that could not be written.",
  },
  loquat_upstream_failures_total: {
    type: "counter",
    labels: ["upstream", "kind"],
    help: "Failed requests to upstreams. One that succeeded elsewhere is in it too.",
  },
  loquat_workers_ended_total: {
    type: "counter",
    labels: ["worker", "kind"],
    help: "Threads and processes (kind) that ended unexpectedly, and were replaced.",
  },
  loquat_engine_node_retries_total: {
    type: "counter",
    labels: [],
    help: "Tasks that were tried again on another engine node or on this node.",
  },
  loquat_audio_seconds_total: {
    type: "counter",
    labels: ["direction", "model"],
    help: "Seconds of audio that were recognized (direction: in) or synthesized (out).",
  },
  loquat_jobs_ended_total: {
    type: "counter",
    labels: ["status"],
    help: "Jobs that have ended, by status: completed, failed or cancelled.",
  },
  loquat_job_audio_seconds_total: {
    type: "counter",
    labels: [],
    help: "Seconds of audio that jobs have recognized or synthesized, piece by piece. loquat_audio_seconds_total has them once the job is completed, or the chapter.",
  },
  loquat_conversation_responses_total: {
    type: "counter",
    labels: ["status", "reason"],
    help: "Responses of conversations, by their status, and why they were not completed.",
  },
  loquat_conversation_guesses_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Answers that were asked for before the turn of the caller had ended: released or thrown_away.",
  },
  loquat_conversation_interruptions_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Sounds of callers during an answer: interrupted or ignored; resumed where one that interrupted was no speech.",
  },
  loquat_llm_tokens_total: {
    type: "counter",
    labels: ["direction"],
    help: "Tokens that language models read (direction: in) and wrote (out) in conversations; a quarter of the characters where a model tells none.",
  },
  loquat_log_lines_dropped_total: {
    type: "counter",
    labels: [],
    help: "Lines of the log that were dropped, because standard error was not read.",
  },
  loquat_spans_dropped_total: {
    type: "counter",
    labels: [],
    help: "Spans of traces that the collector did not get.",
  },
  loquat_engine_tasks: {
    type: "gauge",
    labels: ["engine", "state"],
    help: "Tasks of each engine that is started, by state: running or waiting.",
  },
  loquat_jobs: {
    type: "gauge",
    labels: ["state"],
    help: "Jobs of the database that have not ended, by state: queued or in_progress. Every node has the same.",
  },
  loquat_job_oldest_wait_seconds: {
    type: "gauge",
    labels: [],
    help: "How long the oldest job that is queued has waited; 0 without one. Every node has the same.",
  },
  loquat_engine_nodes: {
    type: "gauge",
    labels: [],
    help: "Engine nodes that this node is connected with.",
  },
  loquat_live_sessions: {
    type: "gauge",
    labels: [],
    help: "Live sessions that are open.",
  },
  loquat_audio_memory_bytes: {
    type: "gauge",
    labels: [],
    help: "Audio that requests hold in memory; LOQUAT_MEMORY_MB limits it.",
  },
  process_resident_memory_bytes: {
    type: "gauge",
    labels: [],
    help: "Memory of the process, without processes that it started.",
  },
  process_open_fds: {
    type: "gauge",
    labels: [],
    help: "Open descriptors: files, connections, pipes. Linux only.",
  },
  process_max_fds: {
    type: "gauge",
    labels: [],
    help: "The most descriptors that the process may have open. Linux only.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    help: "Processor time of the process, user and system.",
  },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    help: "When the process started, in Unix seconds.",
  },
  loquat_build_info: {
    type: "gauge",
    labels: ["version", "runtime"],
    help: "Always 1; the labels name the version of Loquat and of its runtime.",
  },
  loquat_node_info: {
    type: "gauge",
    labels: ["node"],
    help: "Always 1; the label names this node, as logs and the response header x-loquat-node do.",
  },
  loquat_nodes: {
    type: "gauge",
    labels: [],
    help: "Nodes of the database that were seen in the last ten seconds, this one among them.",
  },
} as const satisfies Record<string, Definition>;

type Table = typeof METRICS;

export type MetricName = keyof Table;
export type NameOf<Type extends Definition["type"]> = {
  [Name in MetricName]: Table[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type Labels<Name extends MetricName> = Record<Table[Name]["labels"][number], string>;

/** The same, where the name is not known until run time. */
export const DEFINITIONS: [MetricName, Definition][] = Object.entries(METRICS) as [MetricName, Definition][];
