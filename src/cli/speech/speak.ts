/** `loquat speak`: synthesizes a text in this process, as the server would: to a file, to standard output or aloud. */
import { extname, join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { FORMAT_CHOICE } from "../../audio/formats.ts";
import { readConfig } from "../../config/config.ts";
import { soleClaim } from "../../engine/runner.ts";
import { renderRequestOf } from "../../metered/speech.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { chooseSpeech } from "../../models/choose.ts";
import { openInference } from "../../server/inference.ts";
import { withDictionary } from "../../speech/script/dictionary.ts";
import { readScript } from "../../speech/script/read-script.ts";
import { type Clip, render } from "../../speech/synthesizer.ts";
import { captionsOf } from "../../speech/words/captions.ts";
import type { WordTime } from "../../speech/words/timeline.ts";
import { srt, vtt } from "../../transcription/subtitles.ts";
import {
  type Destination,
  openFileDestination,
  openOutputDestination,
  writeText,
} from "../base/destination.ts";
import { addDetails } from "../base/details.ts";
import { note, UsageError } from "../base/output.ts";
import { SERVER_OPTION } from "../base/server-client.ts";
import { openStatusLine } from "../base/status-line.ts";
import { DICTIONARY_OPTION, readDictionary } from "./dictionary-file.ts";
import { withAliases } from "./names.ts";
import { openScratch } from "./scratch.ts";
import { type SpeakBackgroundOptions, speakInBackground } from "./speak-background.ts";
import { readText } from "./text-input.ts";

export function speak(command: Command): void {
  command
    .argument(
      "[text]",
      "the text, in quotes; - or nothing: standard input; with --background also a file or address: EPUB, HTML",
    )
    .option("-o, --output <file>", "the file to write, such as -o out.wav; -: standard output")
    .option("--play", "play it aloud")
    .option("--model <id>", "a text-to-speech model", "svc-tts1")
    .option("--voice <id>", "a voice of the model (default: its first one)")
    .option("--format <format>", `${FORMAT_CHOICE} (default: the file's extension)`)
    .option("--speed <factor>", "0.25 to 4", speedFactor, 1)
    .option("--captions <file>", "also write when the words are heard: .vtt, .srt or .json")
    .option(...DICTIONARY_OPTION)
    .option("--background", "have a server do it, as a job; prints the job's id")
    .addOption(
      new Option("--wait", "the same, and write the file once the job has ended").implies(BACKGROUND),
    )
    .option("--title <text>", "with --background: the title, which MP3 files have as a tag")
    .option("--author <text>", "with --background: the author, which MP3 files have as a tag")
    .option(
      "--cover <file>",
      "with --background: a JPEG or PNG of up to 1 MB, the cover of MP3 and M4B files",
    )
    .option("--chapters", "with --background: a chapter begins at each heading of the first two levels")
    .option(...SERVER_OPTION)
    .action(run);
  addDetails(
    command,
    `Examples:
  loquat speak "Good morning." -o hello.mp3 --voice female-warm
  echo Hello | loquat speak --play
  loquat speak - -o chapter.wav --captions chapter.vtt < chapter.txt
  loquat speak - -o - --format opus < chapter.txt | ssh player mpv -
  loquat speak - -o book.mp3 --chapters --title "The old house" --wait < book.md
  loquat speak book.epub -o book.mp3 --chapters --wait
  loquat speak https://example.com/article -o article.mp3 --wait

With --background a running server speaks it, up to 1,000,000 characters, and
charges each chapter when it is done. "loquat jobs" shows what becomes of it.
LOQUAT_KEY is the API key; where it is not set, the first key in the data
directory, for the server of this machine.`,
  );
}

const BACKGROUND = { background: true } as const;

type Options = SpeakBackgroundOptions & {
  play?: true | undefined;
  dictionary?: string | undefined;
  background?: true | undefined;
};

async function run(argument: string | undefined, options: Options): Promise<void> {
  refuseContradictions(options);
  if (options.background) return speakInBackground(argument, options);
  const { output, model, speed } = options;
  if (output === undefined && !options.play)
    throw new UsageError("Give a file to write with -o, --output FILE, or --play to hear it.");
  const play = options.play ? findPlayer() : null;
  const captions = options.captions === undefined ? null : captionFile(options.captions);
  const dictionary = readDictionary(options.dictionary);
  const text = await readText(argument);
  const script = withDictionary(readScript(text), dictionary);
  using scratch = openScratch();
  const path = output ?? join(scratch.folder, "speech.wav");
  const config = readConfig();
  await using inference = openInference({ ...config, data: { ...config.data, folder: scratch.folder } });
  const { encodesAac } = inference;
  const { use } = inference.upstreams;
  const names = [model, options.voice];
  const catalogue = await withAliases(inference.catalogue, { config, names, encodesAac, use });
  const chosen = chooseSpeech(catalogue, {
    model,
    voice: options.voice ?? firstVoice(catalogue, model),
    format: options.format ?? (extname(path).slice(1) || null),
    speed,
    streaming: false,
  });
  const { voice, format } = chosen;
  if (play && (format !== "wav" || path === "-"))
    throw new UsageError("--play plays WAV files: leave -o out, or name a .wav file.");
  const clip = await render(
    inference.synthesizer,
    renderRequestOf({
      chosen,
      read: { text, script },
      ...{ language: null, speed, instructions: "", claim: soleClaim() },
    }),
    { format, lengthFirst: false, wordTimes: captions !== null },
  );
  const to = path === "-" ? openOutputDestination(scratch.folder) : await openFileDestination(path);
  await write(clip, to);
  await captions?.write(script.visible, clip.words());
  if (output !== undefined) note(`${path}: ${clip.audioSeconds().toFixed(2)} s of ${format}, ${voice.id}`);
  await play?.(path);
}

/** What only a server does, or only this process. */
function refuseContradictions(options: Options): void {
  const names = options.background
    ? (["play", "dictionary"] as const)
    : (["title", "author", "cover", "chapters", "server"] as const);
  const name = names.find((each) => options[each as keyof Options] !== undefined);
  if (name === undefined) return;
  if (options.background) throw new UsageError(`--${name} is for speech without --background.`);
  throw new UsageError(`Add --background, or --wait: --${name} is for a server.`);
}

async function write(clip: Clip, to: Destination): Promise<void> {
  using status = openStatusLine();
  let step = await clip.chunks.next();
  for (; !step.done; step = await clip.chunks.next()) {
    await to.append(step.value);
    status.show(`${clip.audioSeconds().toFixed(1)} s of audio`);
  }
  if (step.value) await to.patch(step.value);
  await to.finish();
}

function speedFactor(text: string): number {
  const speed = Number(text);
  if (!(speed >= 0.25 && speed <= 4)) throw new InvalidArgumentError("Expected a number from 0.25 to 4.");
  return speed;
}

function firstVoice({ names, voices }: Catalogue, model: string): string {
  const models: string[] = names.model(model)?.targets ?? [model];
  return voices.find((voice) => voice.models.some((each) => models.includes(each)))?.id ?? "none";
}

type Words = readonly WordTime[];

const FORMATS: Record<string, (text: string, words: Words) => string> = {
  ".vtt": (text, words) => vtt({ segments: captionsOf(text, words) }),
  ".srt": (text, words) => srt({ segments: captionsOf(text, words) }),
  ".json": (_text, words) => `${JSON.stringify({ timestamps: words }, null, 2)}\n`,
};

/**
 * The captions of a clip as a file: subtitles, or the words with their times as JSON. Throws before anything is synthesized
 * where the name has another extension.
 */
function captionFile(path: string): { write(text: string, words: Words): Promise<void> } {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) throw new UsageError(`Captions are written to a .vtt, .srt or .json file, not to ${path}.`);
  return {
    write: (text, words) => writeText(path, format(text, words)),
  };
}

/** The programs that are tried, in order, and how each is called. */
const PLAYERS: [program: string, args: string[]][] = [
  ["afplay", []],
  ["pw-play", []],
  ["paplay", []],
  ["aplay", ["-q"]],
  ["ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]],
];

/**
 * What plays a WAV file aloud: the first player that is installed. Called before anything is synthesized, so that a missing
 * one is reported at once.
 */
function findPlayer(): (path: string) => Promise<void> {
  for (const [program, args] of PLAYERS) {
    const found = Bun.which(program);
    if (found !== null) return (path) => play([found, ...args, path]);
  }
  const names = PLAYERS.map(([program]) => program).join(", ");
  throw new UsageError(`No audio player is installed. Install one of: ${names}; or write a file with -o.`);
}

async function play(command: string[]): Promise<void> {
  const player = Bun.spawn(command, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await player.exited;
  if (code !== 0) throw new UsageError(`${command[0]} could not play the audio: it ended with code ${code}.`);
}
