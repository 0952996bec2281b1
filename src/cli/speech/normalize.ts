/** `loquat normalize`: what a voice says of a text, segment by segment, without synthesizing it. */

import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { abilitiesOf } from "../../engine/families/families.ts";
import type { PlannedSegment } from "../../engine/protocol/plan.ts";
import { signOf } from "../../engine/protocol/signs.ts";
import { openRegistry } from "../../engine/registry.ts";
import { soleClaim } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";
import type { Voice } from "../../models/manifest.ts";
import { type Installed, openModelStore } from "../../models/store/model-store.ts";
import { engineSpecs, pronunciationOf } from "../../server/engines/engine-specs.ts";
import { dropTags } from "../../speech/fit-task.ts";
import { g2pTask, type Pronunciation } from "../../speech/phonemes.ts";
import { planScript } from "../../speech/plan.ts";
import { withDictionary } from "../../speech/script/dictionary.ts";
import { readScript } from "../../speech/script/read-script.ts";
import { withValues } from "../../speech/script/say-as.ts";
import type { Script } from "../../speech/script/script.ts";
import { pronouncedIn } from "../../speech/synthesize.ts";
import { JSON_OPTION, note, printJson, printLine, UsageError } from "../base/output.ts";
import { openCatalogue } from "../models/installed/packages.ts";
import { DICTIONARY_OPTION, readDictionary } from "./dictionary-file.ts";
import { withAliases } from "./names.ts";
import { readText } from "./text-input.ts";

export function normalize(command: Command): void {
  command
    .argument("[text]", "the text, in quotes; - or nothing: standard input")
    .option("--language <tag>", "the language, such as en-GB or de (default: the voice's, or en-US)")
    .option("--voice <id>", "the voice that would speak")
    .option("--phonemes", "also print the phonemes that the voice's engine receives")
    .option(...DICTIONARY_OPTION)
    .option(...JSON_OPTION)
    .action(run);
}

type Options = {
  language?: string | undefined;
  voice?: string | undefined;
  phonemes?: true | undefined;
  dictionary?: string | undefined;
  json?: true | undefined;
};

async function run(argument: string | undefined, options: Options) {
  const { language: named, voice: id, phonemes, json } = options;
  const dictionary = readDictionary(options.dictionary);
  const written = withDictionary(readScript(await readText(argument)), dictionary);
  const voice = phonemes || id !== undefined ? await voiceOf(id) : null;
  const installed = voice && openModelStore(readConfig().models.weights).installed(voice.engine);
  const language = named ?? voice?.locale ?? "en-US";
  const script = withValues(written, language);
  const plan = planScript(script.parts, language);
  const read = plan.map((segment) =>
    voice && !keepsTags(installed) ? { ...segment, text: dropTags(segment.text) } : segment,
  );
  const pronunciation = installed && pronunciationOf(installed);
  const spoken =
    phonemes && pronunciation ? await phonemesOf(read, { language, script, pronunciation }) : null;
  const segments = read.map(({ text, pauseMs, silenceMs }, index) => ({
    text: withReadings(text, script),
    pause_ms: silenceMs ?? pauseMs,
    ...(phonemes ? { phonemes: spoken?.[index] ?? null } : {}),
  }));
  if (json) printJson({ language, voice: voice?.id ?? null, segments });
  else for (const segment of segments) printLine(lineOf(segment));
  if (segments.every(({ text }) => text === "")) note("Nothing in this text is spoken.");
  if (phonemes && !pronunciation)
    note(`No phonemes: ${voice!.id} is spoken by ${voice!.engine}, which reads the text itself.`);
}

type Segment = { text: string; pause_ms: number; phonemes?: string | null };

/** A segment without text is silence. */
function lineOf({ text, pause_ms, phonemes }: Segment): string {
  if (text === "") return `[pause ${pause_ms}ms]`;
  return phonemes ? `${text}\n  ${phonemes}` : text;
}

/** The voice with this id or alias, or the first one. */
async function voiceOf(id: string | undefined): Promise<Voice> {
  const { voices, names } = await withAliases(await openCatalogue(), { config: readConfig(), names: [id] });
  const voice =
    id === undefined ? voices[0] : (voices.find((each) => each.id === id) ?? names.voice(id, voices));
  if (!voice)
    throw new UsageError(`There is no voice ${id ?? "installed"}. "loquat voices list" lists them.`);
  return voice;
}

/** Engines without a package drop the tags of expressions. */
const keepsTags = (installed: Installed | null): boolean =>
  installed !== null && abilitiesOf(installed.package.family).includes("expression_tags");

/** Phonemes in place of the signs for them. */
const withReadings = (text: string, { pronounced }: Script): string =>
  pronounced.reduce((read, { ipa }, index) => read.replaceAll(signOf(index), `/${ipa}/`), text);

type Reading = { language: string; script: Script; pronunciation: Pronunciation };

async function phonemesOf(
  segments: readonly PlannedSegment[],
  { language, script, pronunciation }: Reading,
): Promise<string[]> {
  const config = readConfig();
  await using registry = openRegistry(engineSpecs(config, openModelStore(config.models.weights)));
  const g2p = registry.engine("phonemes");
  try {
    return await Promise.all(
      segments.map((segment) => {
        const reading = { ...segment, language, ...pronouncedIn(segment, script.pronounced) };
        return g2p.run(g2pTask(reading, pronunciation), soleClaim());
      }),
    );
  } catch (cause) {
    throw new Refusal("inference_unavailable", `No phonemes: ${(cause as Error).message}`, { cause });
  }
}
