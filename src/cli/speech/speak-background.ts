/** `loquat speak --background`: sends a text, a book or the address of a page to a server as a job, and with `--wait` writes what it has spoken. */
import { existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { writeText } from "../base/destination.ts";
import { note, UsageError } from "../base/output.ts";
import { openServerClient, type ServerClient, type ServerOption } from "../base/server-client.ts";
import { type Job, requireCompleted, soundCommand, waitForEnd } from "../jobs/followed-job.ts";
import { saveSound, subtitleFormatOf, subtitlesOf } from "../jobs/save-speech.ts";
import { deleteFile, isAddress, sendFile } from "../jobs/send-recording.ts";
import { readText } from "./text-input.ts";

export type SpeakBackgroundOptions = ServerOption & {
  model: string;
  voice?: string | undefined;
  format?: string | undefined;
  speed: number;
  title?: string | undefined;
  author?: string | undefined;
  cover?: string | undefined;
  chapters?: true | undefined;
  wait?: true | undefined;
  output?: string | undefined;
  captions?: string | undefined;
};

const TIMEOUT_MS = 600_000;

/** `argument`: the text, a file that is no plain text, or the address of a page; null or -: standard input. */
export async function speakInBackground(
  argument: string | undefined,
  options: SpeakBackgroundOptions,
): Promise<void> {
  const { wait, output, captions } = options;
  if (wait && output === undefined) throw new UsageError("Give a file to write with -o, --output FILE.");
  if (!wait && captions !== undefined) throw new UsageError("Add --wait to write --captions.");
  const subtitles = captions === undefined ? null : { path: captions, format: subtitleFormatOf(captions) };
  if (options.cover !== undefined && !existsSync(options.cover))
    throw new UsageError(`${options.cover} does not exist.`);
  const client = openServerClient(options);
  const job = await sendText(client, argument, options);
  const later = soundCommand(job, output ?? null, options);
  if (!wait || output === undefined) {
    note(`Queued. Fetch the speech with: ${later}`);
    process.stdout.write(`${job.id}\n`);
    return;
  }
  const ended = await waitForEnd(client, job.id, { name: output, later });
  if (ended.input.file_id !== null) await deleteFile(client, ended.input.file_id);
  requireCompleted(ended);
  await saveSound(client, ended, { output });
  if (subtitles !== null) await writeText(subtitles.path, await subtitlesOf(client, ended, subtitles));
}

/** A file is sent for the job alone, and is deleted with its end or a day later. */
async function sendText(
  client: ServerClient,
  argument: string | undefined,
  options: SpeakBackgroundOptions,
): Promise<Job> {
  const make = async (text: object) => {
    const fields = await fieldsOf(client, options);
    return withCover(client, options.cover, (cover) => {
      const body = { ...text, ...fields, ...cover };
      return client.json<Job>("/v1/audio/speech", { method: "POST", body, timeoutMs: TIMEOUT_MS });
    });
  };
  if (argument !== undefined && isAddress(argument)) return make({ input_url: argument });
  const file = argument === undefined ? null : fileOf(argument);
  if (file === null) return make({ input: await readText(argument) });
  const fileId = await sendFile(client, file);
  try {
    return await make({ input_file_id: fileId });
  } catch (error) {
    await deleteFile(client, fileId);
    throw error;
  }
}

/** The job keeps the picture, so that the file is sent for its request alone. */
async function withCover(
  client: ServerClient,
  path: string | undefined,
  make: (field: object) => Promise<Job>,
): Promise<Job> {
  if (path === undefined) return make({});
  const id = await sendFile(client, { name: basename(path), path });
  try {
    return await make({ cover_file_id: id });
  } finally {
    await deleteFile(client, id);
  }
}

const DOCUMENTS = /\.(?:epub|x?html?|md|markdown|txt)$/i;

/** Null where it is the text itself. */
function fileOf(argument: string) {
  if (!DOCUMENTS.test(argument) || /\s{2}|\n/.test(argument)) return null;
  if (existsSync(argument)) return { name: basename(argument), path: argument };
  if (/^\S+$/.test(argument)) throw new UsageError(`${argument} does not exist.`);
  return null;
}

/** The format is that of the file's extension, and the server's choice where nothing says one. */
async function fieldsOf(client: ServerClient, options: SpeakBackgroundOptions): Promise<object> {
  const { model, speed, title, author, chapters, output = "" } = options;
  const format = options.format ?? extname(output).slice(1);
  return {
    ...{ background: true, model, speed, voice: options.voice ?? (await firstVoice(client, model)) },
    ...(format !== "" && { response_format: format }),
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(chapters && { chapters: "headings" }),
  };
}

/** As `speak` chooses one without a server. */
async function firstVoice(client: ServerClient, model: string): Promise<string> {
  const { data } = await client.json<{ data: { id: string }[] }>(
    `/v1/voices?${new URLSearchParams({ model })}`,
  );
  return data[0]?.id ?? "none";
}
