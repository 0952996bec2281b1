/** `loquat transcribe`: transcribes a file in this process, as the server would. */
import { readFileSync } from "node:fs";
import { type Command, Option } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { soleClaim } from "../../engine/claim.ts";
import { Refusal } from "../../errors.ts";
import { chooseRecognition } from "../../models/choose.ts";
import { openInference } from "../../server/inference.ts";
import { recognize } from "../../transcription/recognize.ts";
import { jsonBody, verboseBody } from "../../transcription/response.ts";
import { plainText, srt, vtt } from "../../transcription/subtitles.ts";
import { segmentsOf, type Transcript, transcriptOf } from "../../transcription/transcript.ts";
import { UsageError } from "../base/output.ts";

const FORMATS = ["text", "json", "verbose_json", "srt", "vtt"] as const;
type Format = (typeof FORMATS)[number];

const FORMATTERS: Record<Format, (transcript: Transcript) => string> = {
  text: plainText,
  srt,
  vtt,
  json: (transcript) => `${JSON.stringify(jsonBody(transcript), null, 2)}\n`,
  verbose_json: (transcript) => `${JSON.stringify(verboseBody(transcript, ["segment", "word"]), null, 2)}\n`,
};

export function transcribe(command: Command): void {
  command
    .argument("<file>", "a recording")
    .option("--model <id>", "a speech-to-text model", "svc-stt1")
    .option("--language <code>", "the language spoken, such as en (default: detected by the model)")
    .addOption(new Option("--format <format>", "the output format").choices(FORMATS).default("text" as const))
    .action(run);
}

type Options = { model: string; language?: string | undefined; format: Format };

async function run(path: string, { model, language: named, format }: Options): Promise<void> {
  const file = read(path);
  await using inference = openInference(readConfig());
  const { engine, language, spoken } = chooseRecognition(inference.catalogue, {
    model,
    language: named ?? null,
    streaming: false,
    diarized: false,
  });
  const decoded = await inference.decoder.decode(file, soleClaim());
  if ("refusal" in decoded) throw new Refusal(decoded.refusal, decoded.message);
  const { samples, durationSeconds } = decoded;
  const utterances = await Array.fromAsync(
    recognize(inference.registry.engine(engine), {
      samples,
      spans: null,
      language,
      prompt: "",
      wordTimes: format !== "text" && format !== "json",
      claim: soleClaim(),
    }),
  );
  const segments = utterances.flatMap(segmentsOf);
  process.stdout.write(FORMATTERS[format](transcriptOf(segments, spoken, durationSeconds)));
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${(error as Error).message}`);
  }
}
