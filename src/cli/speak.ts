/** `loquat speak "text" -o out.wav`: the server's own path from text to a file, without one; `voices list`: who can. */
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { soleClaim } from "../engine/scheduler.ts";
import type { Spooled } from "../memory/spool.ts";
import { chooseSpeech } from "../models/choose.ts";
import { voiceObject } from "../models/objects.ts";
import { type Inference, openInference } from "../server/inference.ts";
import { renderWhole } from "../speech/synthesizer.ts";
import { openCatalogue } from "./models.ts";
import { printList, UsageError } from "./output.ts";

const OPTIONS = {
  output: { type: "string", short: "o" },
  model: { type: "string", default: "svc-tts1" },
  voice: { type: "string" },
  format: { type: "string" },
  speed: { type: "string", default: "1" },
} as const;

export async function speak(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [text] = positionals;
  if (positionals.length !== 1 || !text?.trim()) throw new UsageError("speak takes one text, in quotes.");
  if (values.output === undefined) throw new UsageError("Say where the audio goes: -o out.wav");
  const speed = Number(values.speed);
  if (!(speed >= 0.25 && speed <= 4))
    throw new UsageError(`--speed goes from 0.25 to 4, not ${values.speed}.`);
  await using engines = openInference(readConfig());
  const wanted = {
    model: values.model,
    voice: values.voice ?? firstVoice(engines, values.model),
    format: values.format ?? (extname(values.output).slice(1) || "wav"),
    speed,
    streaming: false,
  };
  const { voice, format } = chooseSpeech(engines.catalogue, wanted);
  const utterance = {
    engine: voice.engine,
    speaker: voice.speaker,
    text,
    language: voice.locale,
    speed,
    instructions: "",
    claim: soleClaim(),
  };
  const { body, audioSeconds } = await renderWhole(engines.synthesizer, utterance, format);
  await write(values.output, body);
  process.stderr.write(`${values.output}: ${audioSeconds.toFixed(2)} s of ${format}, ${voice.id}\n`);
}

const firstVoice = ({ catalogue }: Inference, model: string) =>
  catalogue.voices.find((voice) => voice.models.includes(model))?.id ?? "none";

async function write(path: string, body: Spooled): Promise<void> {
  try {
    await writeFile(path, body.chunks());
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

/** As the API shows them. */
export async function voices(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (positionals.join(" ") !== "list") throw new UsageError("voices takes one word: list.");
  const rows = openCatalogue(readConfig().models).voices.map((voice) => ({
    ...voiceObject(voice),
    models: voice.models,
  }));
  printList(rows, ["id", "name", "locale", "gender", "models"], values.json);
}
