/** `loquat speak --background`: sends a text to a server as a job, and with `--wait` writes what it has spoken. */
import { extname } from "node:path";
import { writeText } from "../base/destination.ts";
import { note, UsageError } from "../base/output.ts";
import { openServerClient, type ServerClient, type ServerOption } from "../base/server-client.ts";
import { type Job, requireCompleted, soundCommand, waitForEnd } from "../jobs/followed-job.ts";
import { saveSound, subtitleFormatOf, subtitlesOf } from "../jobs/save-speech.ts";

export type SpeakBackgroundOptions = ServerOption & {
  model: string;
  voice?: string | undefined;
  format?: string | undefined;
  speed: number;
  title?: string | undefined;
  author?: string | undefined;
  chapters?: true | undefined;
  wait?: true | undefined;
  output?: string | undefined;
  captions?: string | undefined;
};

const TIMEOUT_MS = 600_000;

export async function speakInBackground(text: string, options: SpeakBackgroundOptions): Promise<void> {
  const { wait, output, captions } = options;
  if (wait && output === undefined) throw new UsageError("Give a file to write with -o, --output FILE.");
  if (!wait && captions !== undefined) throw new UsageError("Add --wait to write --captions.");
  const subtitles = captions === undefined ? null : { path: captions, format: subtitleFormatOf(captions) };
  const client = openServerClient(options);
  const body = await bodyOf(client, text, options);
  const job = await client.json<Job>("/v1/audio/speech", { method: "POST", body, timeoutMs: TIMEOUT_MS });
  const later = soundCommand(job, output ?? null, options);
  if (!wait || output === undefined) {
    note(`Queued. Fetch the speech with: ${later}`);
    process.stdout.write(`${job.id}\n`);
    return;
  }
  const ended = await waitForEnd(client, job.id, { name: output, later });
  requireCompleted(ended);
  await saveSound(client, ended, { output });
  if (subtitles !== null) await writeText(subtitles.path, await subtitlesOf(client, ended, subtitles));
}

/** The format is that of the file's extension, and the server's choice where nothing says one. */
async function bodyOf(client: ServerClient, input: string, options: SpeakBackgroundOptions): Promise<object> {
  const { model, speed, title, author, chapters, output = "" } = options;
  const format = options.format ?? extname(output).slice(1);
  return {
    ...{ background: true, input, model, speed, voice: options.voice ?? (await firstVoice(client, model)) },
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
