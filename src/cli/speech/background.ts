/** `loquat transcribe --background`: sends recordings to a server as jobs, and with `--wait` writes their transcripts. */
import { existsSync, readFileSync } from "node:fs";
import { note, UsageError } from "../base/output.ts";
import { openServerClient, type ServerClient, type ServerOption } from "../base/server-client.ts";
import {
  apiFormat,
  contentCommand,
  type Job,
  type ResultFormat,
  requireCompleted,
  resultOf,
  waitForEnd,
} from "../jobs/followed-job.ts";
import { deleteFile, sendAsJob } from "../jobs/send-recording.ts";
import type { NamedVoice } from "./named-voices.ts";
import type { Recording } from "./recordings.ts";
import { writeTranscripts } from "./write-transcripts.ts";

/** `speakers`: to be told apart, and how many there are if that is known. */
export type BackgroundOptions = ServerOption & {
  model: string;
  language?: string | undefined;
  format: ResultFormat;
  speakers?: number | true | undefined;
  speaker?: NamedVoice[] | undefined;
  keywords?: string[] | undefined;
  wait?: true | undefined;
  force?: true | undefined;
};

export async function transcribeInBackground(
  recordings: readonly Recording[],
  options: BackgroundOptions,
): Promise<void> {
  const client = openServerClient(options);
  const fields = fieldsOf(options);
  const { wait, force } = options;
  await writeTranscripts(wait ? recordings : recordings.map((each) => ({ ...each, output: null })), {
    force,
    async transcriptOf(recording) {
      const job = await sendAsJob(client, recording, fields);
      if (wait) return await awaited(client, job, { ...options, name: recording.name });
      note(`${recording.name}: queued. Fetch the transcript with: ${contentCommand(job.id, null, options)}`);
      return `${job.id}\n`;
    },
  });
}

/** The file that was sent for the job alone is deleted with its end. */
async function awaited(
  client: ServerClient,
  { id, input }: Job,
  { name, format, ...options }: BackgroundOptions & { name: string },
): Promise<string> {
  const later = contentCommand(id, format, options);
  const job = await waitForEnd(client, id, { name, later });
  if (input.file_id !== null) await deleteFile(client, input.file_id);
  requireCompleted(job);
  return resultOf(client, job, format);
}

function fieldsOf({ model, language, format, speaker = [], keywords = [], ...options }: BackgroundOptions) {
  const { speakers = speaker.length > 0 ? true : undefined } = options;
  const fields: [string, string][] = [
    ["model", model],
    ["response_format", apiFormat(format)],
  ];
  if (language !== undefined) fields.push(["language", language]);
  if (speakers !== undefined) fields.push(["diarize", "true"]);
  if (typeof speakers === "number") fields.push(["num_speakers", `${speakers}`]);
  for (const keyword of keywords) fields.push(["keywords[]", keyword]);
  for (const { name, path } of speaker)
    fields.push(["known_speaker_names[]", name], ["known_speaker_references[]", dataUrlOf(path)]);
  return fields;
}

function dataUrlOf(path: string): string {
  if (!existsSync(path)) throw new UsageError(`${path} does not exist.`);
  return `data:application/octet-stream;base64,${readFileSync(path, "base64")}`;
}
