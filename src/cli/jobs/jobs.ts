/** `loquat jobs`: the jobs of a server, as a client of its API: shown, waited for, read, cancelled and deleted. */
import { type Command, Option } from "@commander-js/extra-typings";
import { byteText } from "../../byte-text.ts";
import { JOB_STATUSES } from "../../job-statuses.ts";
import { counted } from "../base/counted.ts";
import { writeText } from "../base/destination.ts";
import { addDetails } from "../base/details.ts";
import {
  type Column,
  JSON_OPTION,
  note,
  printJson,
  printLine,
  printList,
  UsageError,
} from "../base/output.ts";
import { openServerClient, SERVER_OPTION, type ServerOption } from "../base/server-client.ts";
import { clockText } from "../base/status-line.ts";
import { formatDollars, formatTime, wholeNumber } from "../base/values.ts";
import {
  contentCommand,
  type Job,
  jobPath,
  RESULT_FORMATS,
  resultOf,
  stateText,
  waitForEnd,
} from "./followed-job.ts";
import { asSubtitles, saveSound, subtitlesOf } from "./save-speech.ts";

const COLUMNS: Column<Job>[] = [
  "id",
  "status",
  { title: "DONE", text: ({ progress }) => `${progress} %` },
  { title: "LENGTH", text: lengthText },
  { title: "MADE", text: ({ created_at: seconds }) => formatTime(seconds) },
];

const ID = ["<id>", "the job's id"] as const;

export function jobs(command: Command): void {
  listCommand(command);
  showCommands(command);
  contentOfCommand(command);
  endingCommands(command);
  addDetails(
    command,
    `"loquat transcribe FILE --background" makes a job, and so does
"loquat speak TEXT --background". These commands ask a running
server about the jobs of a project, with its API key in LOQUAT_KEY; where it is
not set, with the first key in the data directory, for the server of this
machine.`,
  );
}

function listCommand(command: Command): void {
  command
    .command("list")
    .description("List the jobs of the key's project, newest first")
    .addOption(new Option("--status <status>", "only those that are so").choices(JOB_STATUSES))
    .option("--limit <number>", "how many, 1 to 100", wholeNumber, 20)
    .option("--after <id>", "only those made before this one")
    .option(...SERVER_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ status, limit, after, json, ...options }) => {
      const asked = { limit: `${limit}`, ...(status && { status }), ...(after && { after }) };
      const client = openServerClient(options);
      const list = await client.json<{ data: Job[]; has_more: boolean }>(
        `/v1/audio/jobs?${new URLSearchParams(asked)}`,
      );
      printList(list.data, { columns: COLUMNS, json });
      if (list.has_more) note(`There are more: add --after ${list.data.at(-1)?.id}.`);
    });
}

function showCommands(command: Command): void {
  command
    .command("show")
    .description("Show a job")
    .argument(...ID)
    .option(...SERVER_OPTION)
    .option(...JSON_OPTION)
    .action(async (id, { json, ...options }) => {
      show(await openServerClient(options).json<Job>(jobPath(id)), json);
    });
  command
    .command("wait")
    .description("Wait until a job has ended, and show it; exit code 1 unless it is completed")
    .argument(...ID)
    .option(...SERVER_OPTION)
    .option(...JSON_OPTION)
    .action(async (id, { json, ...options }) => {
      const later = contentCommand(id, null, options);
      const job = await waitForEnd(openServerClient(options), id, { name: id, later });
      show(job, json);
      if (job.status !== "completed") process.exitCode = 1;
    });
}

const SUBTITLES_ONLY = "Of speech, --format is vtt or srt; its sound has the job's.";

function contentOfCommand(command: Command): void {
  const content = command
    .command("content")
    .description("Write what a job has recognized or spoken, in any format and as often as wanted")
    .argument(...ID)
    .addOption(
      new Option("--format <format>", "of a transcript (default: the job's); of speech: vtt or srt").choices(
        RESULT_FORMATS,
      ),
    )
    .option("-o, --output <file>", "the file to write; -: standard output, as without it")
    .option("--chapter <number>", "of speech: only this chapter, from 1", wholeNumber)
    .option(...SERVER_OPTION)
    .action(async (id, { format = null, output = "-", chapter, ...options }) => {
      const client = openServerClient(options);
      const job = await client.json<Job>(jobPath(id));
      const isSpeech = job.kind === "speech";
      if (isSpeech && format === null) return saveSound(client, job, { output, chapter });
      if (chapter !== undefined && !isSpeech) throw new UsageError("--chapter is for jobs that speak.");
      const text =
        isSpeech && format !== null
          ? await subtitlesOf(client, job, { format: asSubtitles(format, SUBTITLES_ONLY), chapter })
          : await resultOf(client, job, format);
      if (output === "-") process.stdout.write(text);
      else await writeText(output, text);
    });
  addDetails(
    content,
    `Examples:
  loquat jobs content job_0mh3k2q9x1 --format vtt > lecture.vtt
  loquat jobs content job_0mh3k2q9x1 -o book.mp3
  loquat jobs content job_0mh3k2q9x1 -o second.mp3 --chapter 2`,
  );
}

function endingCommands(command: Command): void {
  command
    .command("cancel")
    .description("Cancel a job, which then costs nothing; one that has ended stays as it is")
    .argument(...ID)
    .option(...SERVER_OPTION)
    .option(...JSON_OPTION)
    .action(async (id, { json, ...options }: ServerOption & { json?: true | undefined }) => {
      const path = `${jobPath(id)}/cancel`;
      const job = await openServerClient(options).json<Job>(path, { method: "POST" });
      if (json) printJson(job);
      else printLine(`${job.id} is ${stateText(job)}.`);
    });
  command
    .command("delete")
    .description("Cancel a job, and delete its recording and its result")
    .argument(...ID)
    .option(...SERVER_OPTION)
    .action(async (id, options) => {
      await openServerClient(options).text(jobPath(id), { method: "DELETE" });
    });
}

function lengthText({ input: { duration_seconds: recorded }, output }: Job): string | null {
  const seconds = recorded ?? output?.seconds ?? null;
  return seconds === null ? null : clockText(seconds);
}

const show = (job: Job, json: true | undefined) => (json ? printJson(job) : print(job));

function print(job: Job): void {
  const { input, output, error } = job;
  const isSpeech = job.kind === "speech";
  const size = input.bytes === null ? [] : [byteText(input.bytes)];
  const recording = [input.url ?? input.file_id ?? [], size, lengthText(job) ?? []].flat();
  const text = [input.file_id ?? [], counted(input.characters ?? 0, "character")].flat();
  const lines: [string, string | null][] = [
    ["status", stateText(job)],
    ["error", error && `${error.message} (${error.code})`],
    ["model", job.model],
    ["title", job.title],
    ["author", job.author],
    ["recording", isSpeech ? null : recording.join(", ") || null],
    ["text", isSpeech ? text.join(", ") : null],
    ["speech", output && `${clockText(output.seconds)}, ${byteText(output.bytes)}`],
    ["format", job.response_format],
    ["made", formatTime(job.created_at)],
    ["begun", formatTime(job.started_at)],
    ["ended", formatTime(job.completed_at)],
    ["kept until", formatTime(job.expires_at)],
    ["cost", job.usage && formatDollars(job.cost_micros)],
  ];
  printLine(job.id);
  for (const [title, text] of lines) if (text !== null) printLine(`  ${title.padEnd(10)}  ${text}`);
  for (const [index, chapter] of (job.chapters ?? []).entries())
    printLine(`  ${chapterText(chapter, index)}`);
}

/** chapter 2   1:02:03, The old house */
function chapterText({ title, start }: NonNullable<Job["chapters"]>[number], index: number): string {
  const place = start === null ? "not spoken yet" : clockText(start);
  return `${`chapter ${index + 1}`.padEnd(10)}  ${[place, title].filter(Boolean).join(", ")}`;
}
