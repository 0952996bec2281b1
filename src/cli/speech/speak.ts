/** `loquat speak`: synthesizes a text to a file in this process, as the server would. */
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { soleClaim } from "../../engine/claim.ts";
import type { Spooled } from "../../memory/spool.ts";
import { chooseSpeech } from "../../models/choose.ts";
import { type Inference, openInference } from "../../server/inference.ts";
import { readerOf } from "../../speech/pronounceable.ts";
import { renderWhole } from "../../speech/synthesizer.ts";
import { UsageError } from "../base/output.ts";

export function speak(command: Command): void {
  command
    .argument("<text>", "the text, in quotes")
    .requiredOption("-o, --output <file>", "the file to write, such as -o out.wav")
    .option("--model <id>", "a text-to-speech model", "svc-tts1")
    .option("--voice <id>", "a voice of the model (default: its first one)")
    .option("--format <format>", "wav, mp3, flac, opus or pcm (default: the file's extension)")
    .option("--speed <factor>", "0.25 to 4", speedFactor, 1)
    .action(run);
}

type Options = {
  output: string;
  model: string;
  voice?: string | undefined;
  format?: string | undefined;
  speed: number;
};

async function run(text: string, options: Options): Promise<void> {
  const { output, model, speed } = options;
  if (text.trim() === "") throw new UsageError("The text is empty.");
  await using inference = openInference(readConfig());
  const { voice, format } = chooseSpeech(inference.catalogue, {
    model,
    voice: options.voice ?? firstVoice(inference, model),
    format: options.format ?? (extname(output).slice(1) || "wav"),
    speed,
    streaming: false,
  });
  const request = {
    engine: voice.engine,
    speaker: voice.speaker,
    reader: readerOf(voice, null),
    text,
    language: voice.locale,
    speed,
    instructions: "",
    claim: soleClaim(),
  };
  const { body, audioSeconds } = await renderWhole(inference.synthesizer, request, format);
  await write(output, body);
  process.stderr.write(`${output}: ${audioSeconds.toFixed(2)} s of ${format}, ${voice.id}\n`);
}

function speedFactor(text: string): number {
  const speed = Number(text);
  if (!(speed >= 0.25 && speed <= 4)) throw new InvalidArgumentError("Expected a number from 0.25 to 4.");
  return speed;
}

const firstVoice = ({ catalogue }: Inference, model: string) =>
  catalogue.voices.find((voice) => voice.models.includes(model))?.id ?? "none";

async function write(path: string, body: Spooled): Promise<void> {
  try {
    await writeFile(path, body.chunks());
  } catch (error) {
    throw new UsageError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
