/** A job of a server, as commands follow it: its state in words, its end, and its result. */
import { OperatorError } from "../../errors.ts";
import { isUnfinished } from "../../job-statuses.ts";
import type { jobRecord } from "../../jobs/job-record.ts";
import { note } from "../base/output.ts";
import { retried, type ServerClient, ServerError, type ServerOption } from "../base/server-client.ts";
import { clockText, openStatusLine } from "../base/status-line.ts";

export type Job = ReturnType<typeof jobRecord>;

/** Of results, as `transcribe` has them. */
export const RESULT_FORMATS = ["text", "txt", "json", "verbose_json", "diarized_json", "srt", "vtt"] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** As the API calls it. */
export const apiFormat = (format: ResultFormat) => (format === "txt" ? "text" : format);

export const jobPath = (id: string): string => `/v1/audio/jobs/${encodeURIComponent(id)}`;

/** queued, place 3; 42 % of 1:02:03 transcribed; 42 % spoken; completed */
export function stateText({ status, position, progress, kind, input }: Job): string {
  if (status === "queued") return `queued${position === null ? "" : `, place ${position}`}`;
  if (status !== "in_progress") return status;
  if (kind === "speech") return `${progress} % spoken`;
  const { duration_seconds: seconds } = input;
  return seconds === null ? "in progress" : `${progress} % of ${clockText(seconds)} transcribed`;
}

/** On a terminal, progress is shown between the changes of the status. */
const WAIT_SECONDS = process.stderr.isTTY ? 5 : 60;

/** `name`: of the recording. `later`: the command that fetches the result. */
type Following = { name: string; later: string };

/** Resolves when it has ended. Who interrupts the wait is told that the job goes on. */
export async function waitForEnd(client: ServerClient, id: string, following: Following): Promise<Job> {
  using _ = onInterrupt(`The job goes on. Fetch its result later with: ${following.later}`);
  using status = openStatusLine();
  let job = await retried(() => client.json<Job>(jobPath(id)));
  while (isUnfinished(job)) {
    status.show(`${following.name}: ${stateText(job)}`);
    job = await retried(() => client.json<Job>(`${jobPath(id)}?wait=${WAIT_SECONDS}`));
  }
  return job;
}

/** Before what others do on an interrupt; ends the process where nothing else does. */
function onInterrupt(text: string): Disposable {
  const tell = () => note(text);
  const end = () => process.exit(130);
  process.prependOnceListener("SIGINT", tell);
  process.once("SIGINT", end);
  return {
    [Symbol.dispose]() {
      process.off("SIGINT", tell);
      process.off("SIGINT", end);
    },
  };
}

/** `format` null: that of the job. */
export function contentCommand(id: string, format: ResultFormat | null, { server }: ServerOption): string {
  return `loquat jobs content ${id}${format === null ? "" : ` --format ${format}`}${at(server)}`;
}

const at = (server: string | undefined) => (server === undefined ? "" : ` --server ${server}`);

/** `output` null: the file that people choose. */
export function soundCommand(
  job: Pick<Job, "id" | "response_format">,
  output: string | null,
  { server }: ServerOption,
): string {
  return `loquat jobs content ${job.id} -o ${output ?? `speech.${job.response_format}`}${at(server)}`;
}

/** A job that ended otherwise is an error of the command. */
export function requireCompleted({ id, status, error }: Job): void {
  if (status === "completed") return;
  const why = error === null ? `is ${status}.` : `failed: ${error.message}`;
  throw new OperatorError(`The job ${id} ${why}`);
}

/** As `transcribe` writes it: JSON for readers, with the times of words where they are known. */
export async function resultOf(
  client: ServerClient,
  { id, response_format }: Pick<Job, "id" | "response_format">,
  format: ResultFormat | null,
): Promise<string> {
  const wanted = format === null ? response_format : apiFormat(format);
  const text = await contentIn(client, id, wanted);
  return wanted.endsWith("json") ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : text;
}

const WORDS = "&timestamp_granularities[]=word&timestamp_granularities[]=segment";

async function contentIn(client: ServerClient, id: string, format: string): Promise<string> {
  const path = `${jobPath(id)}/content?response_format=${format}`;
  if (format !== "verbose_json") return client.text(path);
  try {
    return await client.text(`${path}${WORDS}`);
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== "word_times_not_supported") throw error;
    return client.text(`${path}&timestamp_granularities[]=segment`);
  }
}
