/** `loquat transcribe`: transcribes recordings of any length in this process, as the server would, or has a server do it. */
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { installedFamilies } from "../../engine/families/installed.ts";
import { decodeProgram } from "../../engine/media/decode-program.ts";
import { soleClaim } from "../../engine/runner.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";
import { type Inference, openInference } from "../../server/inference.ts";
import { decodeRecording } from "../../transcription/decode-recording.ts";
import { recognizeLong } from "../../transcription/long/long-recording.ts";
import { diarizedBody, jsonBody, verboseBody } from "../../transcription/response.ts";
import { bySpeaker, openSpeakerNames, speakerLines } from "../../transcription/speakers/by-speaker.ts";
import { diarize } from "../../transcription/speakers/diarize.ts";
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import { type Segment, segmentsOf, type Transcript, transcriptOf } from "../../transcription/transcript.ts";
import { addDetails } from "../base/details.ts";
import { note, UsageError } from "../base/output.ts";
import { SERVER_OPTION, type ServerOption } from "../base/server-client.ts";
import { clockText, openStatusLine } from "../base/status-line.ts";
import { RESULT_FORMATS, type ResultFormat } from "../jobs/followed-job.ts";
import { isAddress } from "../jobs/send-recording.ts";
import { transcribeInBackground } from "./background.ts";
import { type NamedVoice, namedVoice, readVoices } from "./named-voices.ts";
import { withAliases } from "./names.ts";
import { findRecordings, type Recording } from "./recordings.ts";
import { openScratch } from "./scratch.ts";
import { writeTranscripts } from "./write-transcripts.ts";

const lines = (transcript: Transcript) =>
  transcript.segments.some(({ speaker }) => speaker !== undefined)
    ? speakerLines(transcript.segments)
    : plainText(transcript);

const FORMATTERS: Record<ResultFormat, (transcript: Transcript) => string> = {
  text: lines,
  txt: lines,
  srt,
  vtt,
  diarized_json: (transcript) => `${JSON.stringify(diarizedBody(transcript), null, 2)}\n`,
  json: (transcript) => `${JSON.stringify(jsonBody(transcript), null, 2)}\n`,
  verbose_json: (transcript) => `${JSON.stringify(verboseBody(transcript, ["segment", "word"]), null, 2)}\n`,
};
const EXTENSIONS: Partial<Record<ResultFormat, string>> = {
  text: "txt",
  verbose_json: "json",
  diarized_json: "json",
};

export function transcribe(command: Command): void {
  command
    .argument(
      "<file...>",
      "recordings, or folders of recordings; -: standard input; with --background addresses, too",
    )
    .option("--model <id>", "a speech-to-text model", "svc-stt1")
    .option("--language <code>", "the language spoken, such as en (default: detected by the model)")
    .addOption(
      new Option("--format <format>", "the output format").choices(RESULT_FORMATS).default("text" as const),
    )
    .option("--speakers [count]", "name who speaks, and how many people do if it is known", speakerCount)
    .option(
      "--speaker <name=file>",
      "a known speaker, with 1.2 to 10 seconds of their voice; up to four times",
      namedVoice,
    )
    .option("--keywords <words>", "words to prefer as they are written, with commas between them", keywordsIn)
    .option("--output-dir <folder>", "write each transcript to a file in this folder")
    .option("--force", "replace transcripts that exist already")
    .option("--background", "have a server do it, as a job; prints the job's id")
    .addOption(
      new Option("--wait", "the same, and write the transcript once the job has ended").implies(BACKGROUND),
    )
    .option(...SERVER_OPTION)
    .action(run);
  addDetails(
    command,
    `One file is transcribed to standard output. For several, or for a folder, each
transcript is a file beside its recording: talk.mp3 becomes talk.txt.

Examples:
  loquat transcribe interview.mp3 --format srt > interview.srt
  loquat transcribe lectures/ --format vtt --output-dir subtitles
  loquat transcribe meeting.mp3 --speakers --format vtt > meeting.vtt
  loquat transcribe meeting.mp3 --speaker Ada=ada.wav --speaker Grace=grace.wav
  ffmpeg -i film.mkv -f wav - | loquat transcribe -
  loquat transcribe seminar.mp3 --background
  loquat transcribe seminar.mp3 --format vtt --wait > seminar.vtt

With --background a running server transcribes it, for up to 12 hours of audio
unless its operator says otherwise, and charges what the request would cost.
"loquat jobs" shows what becomes of it. LOQUAT_KEY is the API key; where it is
not set, the first key in the data directory, for the server of this machine.`,
  );
}

const BACKGROUND = { background: true } as const;

const KEYWORDS_MAX = 100;

function keywordsIn(text: string): string[] {
  const words = text.split(",").flatMap((word) => word.trim() || []);
  if (words.length > 0 && words.length <= KEYWORDS_MAX) return words;
  throw new InvalidArgumentError(`There must be 1 to ${KEYWORDS_MAX} of them.`);
}

const SPEAKERS_MAX = 20;

function speakerCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= SPEAKERS_MAX) return count;
  throw new InvalidArgumentError(`It must be 1 to ${SPEAKERS_MAX}.`);
}

type Options = ServerOption & {
  model: string;
  speakers?: number | true | undefined;
  speaker?: NamedVoice[] | undefined;
  keywords?: string[] | undefined;
  language?: string | undefined;
  format: ResultFormat;
  outputDir?: string | undefined;
  force?: true | undefined;
  background?: true | undefined;
  wait?: true | undefined;
};

async function run(paths: string[], options: Options): Promise<void> {
  const { model, language, format, outputDir, force } = options;
  refuseContradictions(paths, options);
  const speakers = askedSpeakers(options);
  using scratch = openScratch();
  const extension = EXTENSIONS[format] ?? format;
  const recordings = await findRecordings(paths, { outputDir, extension }, scratch.folder);
  if (options.background) return transcribeInBackground(recordings, options);
  const config = readConfig();
  await using inference = openInference({ ...config, data: { ...config.data, folder: scratch.folder } });
  const { use } = inference.upstreams;
  const catalogue = await withAliases(inference.catalogue, { config, names: [model], use });
  const chosen = chooseRecognition(catalogue, {
    model,
    language: language ?? null,
    streaming: false,
    speakers,
    keywords: options.keywords !== undefined,
  });
  await writeTranscripts(recordings, {
    force,
    transcriptOf: async (recording) =>
      FORMATTERS[format](await transcriptFor(recording, { ...options, inference, chosen })),
  });
}

/** What is about a server, or about its waiting caller. */
function refuseContradictions(paths: string[], { background, wait, server, outputDir }: Options): void {
  if (background && !wait && outputDir !== undefined)
    throw new UsageError("Add --wait to write transcripts to --output-dir.");
  if (background) return;
  if (server !== undefined) throw new UsageError("Add --background to transcribe with --server.");
  const address = paths.find(isAddress);
  if (address !== undefined) throw new UsageError(`Add --background: a server reads ${address}.`);
}

/** What asks to tell speakers apart, by the name that a refusal is about; null: nothing. */
function askedSpeakers({ format, speaker, speakers = speaker && true }: Options) {
  if (format === "diarized_json") return { param: "response_format", isUsed: true };
  if (speakers !== undefined && format === "json")
    throw new UsageError(
      "--format json names no speakers. Use diarized_json, verbose_json, text, srt or vtt.",
    );
  return speakers === undefined ? null : { param: "speakers", isUsed: true };
}

type Work = Options & { inference: Inference; chosen: ChosenRecognition };

async function transcriptFor({ name, path }: Recording, { inference, chosen, ...options }: Work) {
  const { format, speakers, speaker: known = [], keywords = [] } = options;
  const { engine, language, assumedLanguage, diarizer } = chosen;
  const claim = soleClaim();
  const program = decodeProgram(installedFamilies().has("decode"));
  const decoded = (from = path, warn = (_: string) => {}) =>
    decodeRecording(from, { program, signal: claim.signal, warn });
  using status = openStatusLine();
  const diarization =
    diarizer === null
      ? null
      : await diarize(inference.registry.engine(diarizer), decoded(), {
          voices: await readVoices(known, decoded),
          speakerCount: typeof speakers === "number" ? speakers : null,
          claim,
          progress: (seconds) => status.show(`${name}: ${clockText(seconds)} searched for speakers`),
        });
  const nameOf = openSpeakerNames(
    (diarization?.known ?? []).flatMap((who, index) =>
      who === null ? [] : [[who, known[index]!.name] as const],
    ),
    known.map(({ name }) => name),
  );
  const warnings: string[] = [];
  const hypotheses = recognizeLong(
    inference.registry.engine(engine),
    decoded(path, (warning) => warnings.push(warning)),
    {
      language,
      prompt: "",
      keywords,
      wordTimes: diarization !== null || !["text", "txt", "json"].includes(format),
      claim,
      progress: (seconds) => status.show(`${name}: ${clockText(seconds)} transcribed`),
    },
  );
  const segments: Segment[] = [];
  let step = await hypotheses.next();
  for (; !step.done; step = await hypotheses.next())
    for (const segment of segmentsOf(step.value))
      segments.push(...(diarization ? bySpeaker(segment, diarization.turns, nameOf) : [segment]));
  for (const warning of warnings) note(`${name}: ${warning}`);
  return { ...transcriptOf(segments, assumedLanguage, step.value), warnings };
}
