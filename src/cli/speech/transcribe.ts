/** `loquat transcribe`: transcribes recordings of any length in this process, as the server would. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type Command, Option } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { soleClaim } from "../../engine/claim.ts";
import { installedFamilies } from "../../engine/families/installed.ts";
import { decodeProgram } from "../../engine/media/decode-program.ts";
import { Refusal } from "../../errors.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";
import { type Inference, openInference } from "../../server/inference.ts";
import { decodeRecording } from "../../transcription/decode-recording.ts";
import { recognizeLong } from "../../transcription/long-recording.ts";
import { jsonBody, verboseBody } from "../../transcription/response.ts";
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import { type Segment, segmentsOf, type Transcript, transcriptOf } from "../../transcription/transcript.ts";
import { addDetails } from "../base/details.ts";
import { note, UsageError } from "../base/output.ts";
import { clockText, openStatusLine } from "../base/status-line.ts";
import { withAliases } from "./names.ts";
import { findRecordings, type Recording } from "./recordings.ts";
import { openScratch } from "./scratch.ts";

const FORMATS = ["text", "txt", "json", "verbose_json", "srt", "vtt"] as const;
type Format = (typeof FORMATS)[number];

const FORMATTERS: Record<Format, (transcript: Transcript) => string> = {
  text: plainText,
  txt: plainText,
  srt,
  vtt,
  json: (transcript) => `${JSON.stringify(jsonBody(transcript), null, 2)}\n`,
  verbose_json: (transcript) => `${JSON.stringify(verboseBody(transcript, ["segment", "word"]), null, 2)}\n`,
};
const EXTENSIONS: Partial<Record<Format, string>> = { text: "txt", verbose_json: "json" };

export function transcribe(command: Command): void {
  command
    .argument("<file...>", "recordings, or folders of recordings; -: standard input")
    .option("--model <id>", "a speech-to-text model", "svc-stt1")
    .option("--language <code>", "the language spoken, such as en (default: detected by the model)")
    .addOption(new Option("--format <format>", "the output format").choices(FORMATS).default("text" as const))
    .option("--output-dir <folder>", "write each transcript to a file in this folder")
    .option("--force", "replace transcripts that exist already")
    .action(run);
  addDetails(
    command,
    `One file is transcribed to standard output. For several, or for a folder, each
transcript is a file beside its recording: talk.mp3 becomes talk.txt.

Examples:
  loquat transcribe interview.mp3 --format srt > interview.srt
  loquat transcribe lectures/ --format vtt --output-dir subtitles
  ffmpeg -i film.mkv -f wav - | loquat transcribe -`,
  );
}

type Options = {
  model: string;
  language?: string | undefined;
  format: Format;
  outputDir?: string | undefined;
  force?: true | undefined;
};

async function run(paths: string[], { model, language, format, outputDir, force }: Options): Promise<void> {
  using scratch = openScratch();
  const extension = EXTENSIONS[format] ?? format;
  const recordings = await findRecordings(paths, { outputDir, extension }, scratch.folder);
  const config = readConfig();
  await using inference = openInference({ ...config, data: { ...config.data, folder: scratch.folder } });
  const catalogue = await withAliases(inference.catalogue, { config, names: [model] });
  const chosen = chooseRecognition(catalogue, {
    model,
    language: language ?? null,
    streaming: false,
    diarized: false,
  });
  if (outputDir !== undefined) mkdirSync(outputDir, { recursive: true });
  for (const recording of recordings) {
    const { name, output } = recording;
    try {
      if (output !== null && existsSync(output) && !force)
        throw new UsageError(`${output} exists. Add --force to replace it.`);
      const text = FORMATTERS[format](await transcriptFor(recording, { inference, chosen, format }));
      if (output === null) process.stdout.write(text);
      else writeFileSync(output, text);
    } catch (error) {
      if (recordings.length === 1 || !(error instanceof Refusal || error instanceof UsageError)) throw error;
      note(`${name}: ${error.message}`);
      process.exitCode = 1;
      continue;
    }
    if (output !== null) note(`${name}: ${output}`);
  }
}

type Work = { inference: Inference; chosen: ChosenRecognition; format: Format };

async function transcriptFor({ name, path }: Recording, { inference, chosen, format }: Work) {
  const { engine, language, spoken } = chosen;
  const claim = soleClaim();
  const samples = decodeRecording(path, {
    program: decodeProgram(installedFamilies().has("decode")),
    signal: claim.signal,
  });
  using status = openStatusLine();
  const hypotheses = recognizeLong(inference.registry.engine(engine), samples, {
    language,
    prompt: "",
    wordTimes: !["text", "txt", "json"].includes(format),
    claim,
    progress: (seconds) => status.show(`${name}: ${clockText(seconds)} transcribed`),
  });
  const segments: Segment[] = [];
  let step = await hypotheses.next();
  for (; !step.done; step = await hypotheses.next()) segments.push(...segmentsOf(step.value));
  return transcriptOf(segments, spoken, step.value);
}
