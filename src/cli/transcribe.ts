/** `loquat transcribe FILE`: the server's own path from a file to its text, without a server. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { soleClaim } from "../engine/scheduler.ts";
import { Fault } from "../errors.ts";
import { chooseRecognition } from "../models/choose.ts";
import { openInference } from "../server/inference.ts";
import { recognize } from "../transcription/recognize.ts";
import { jsonBody, verboseBody } from "../transcription/response.ts";
import { plainText, srt, vtt } from "../transcription/subtitles.ts";
import { segmentsOf, type Transcript, transcriptOf } from "../transcription/transcript.ts";
import { UsageError } from "./output.ts";

const OPTIONS = {
  model: { type: "string", default: "svc-stt1" },
  language: { type: "string" },
  format: { type: "string", default: "text" },
} as const;

const FORMATS: Record<string, (transcript: Transcript) => string> = {
  text: plainText,
  srt,
  vtt,
  json: (transcript) => `${JSON.stringify(jsonBody(transcript), null, 2)}\n`,
  verbose_json: (transcript) => `${JSON.stringify(verboseBody(transcript, ["segment", "word"]), null, 2)}\n`,
};

export async function transcribe(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [path] = positionals;
  if (positionals.length !== 1 || !path) throw new UsageError("transcribe takes one file.");
  const print = Object.hasOwn(FORMATS, values.format) ? FORMATS[values.format] : undefined;
  if (!print)
    throw new UsageError(`--format is one of ${Object.keys(FORMATS).join(", ")}, not ${values.format}.`);
  const file = read(path);
  await using engines = openInference(readConfig());
  const wanted = {
    model: values.model,
    language: values.language ?? null,
    streaming: false,
    diarized: false,
  };
  const { engine, language, spoken } = chooseRecognition(engines.catalogue, wanted);
  const decoded = await engines.decoder.decode(file, soleClaim());
  if ("refusal" in decoded) throw new Fault(decoded.refusal, decoded.message);
  const { samples, durationSeconds } = decoded;
  const heard = await Array.fromAsync(
    recognize(engines.registry.engine(engine), {
      samples,
      spans: null,
      language,
      prompt: "",
      claim: soleClaim(),
    }),
  );
  const segments = heard.flatMap(segmentsOf);
  process.stdout.write(print(transcriptOf(segments, spoken, durationSeconds)));
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
