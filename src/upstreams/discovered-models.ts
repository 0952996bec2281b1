/** What a server lists, as the models of a definition: names of ours, languages, and which of two kinds a model is. */
import type { AnyModel, Definition, UpstreamVoice } from "./definition.ts";
import type { Preset } from "./dialects/preset.ts";
import type { ListedModel, ListedVoice } from "./discovery.ts";

/** A model under the server's name and ours. `type` null: by what is known of it. */
export type ModelChoice = { theirs: string; ours: string | null; type: Kind | null };

type Kind = Definition["models"][number]["type"];

export type Found = { models: ListedModel[]; voices: ListedVoice[] };

/** What the operator adds to what is found. `languages`: where nothing says them; none: English. */
export type Additions = {
  choices: ModelChoice[];
  languages: string[];
  voices: string[];
  fallback: string | null;
  priceMicros: number | null;
  /** Of a million tokens that a language model reads and writes. */
  tokenMicros: { input: number; output: number } | null;
  /** All that Whisper recognizes. */
  whisperLanguages: string[];
};

/** Ids of the catalogue are lower-case. */
export const idOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|(?<!-)-+$/g, "")
    .slice(0, 100) || "model";

const RECOGNIZERS = /whisper|transcri|parakeet|canary|voxtral|nemotron|stt|asr/i;

/** Models of OpenAI that listen to live speech, where the list of a server does not say. */
const LISTENERS = /^(gpt-4o(-mini)?-transcribe|whisper-1|gpt-realtime-whisper|gpt-live-transcribe)$/;

/** Models without any voice are left out. */
export function modelsFor(preset: Preset, found: Found, additions: Additions): AnyModel[] {
  const choices =
    additions.choices.length > 0
      ? additions.choices
      : found.models.map(({ id }) => ({ theirs: id, ours: null, type: null }));
  return choices.flatMap((choice) => modelFor(choice, { preset, found, additions }) ?? []);
}

type Context = { preset: Preset; found: Found; additions: Additions };

function modelFor(choice: ModelChoice, context: Context): AnyModel | null {
  const { found, additions } = context;
  const listed = found.models.find(({ id }) => id === choice.theirs);
  const type = choice.type ?? listed?.type ?? guessedType(choice.theirs, context.preset);
  const names = { model: choice.ours ?? idOf(choice.theirs), upstream_model: choice.theirs };
  if (type === "llm") return { type, ...names, ...tokenPrices(additions) };
  const common = {
    ...names,
    ...(additions.priceMicros === null ? {} : { price_micros: additions.priceMicros }),
    ...(additions.fallback === null ? {} : { fallback: additions.fallback }),
  };
  if (type === "tts") {
    const voices = voicesFor(choice.theirs, context);
    return voices.length === 0 ? null : { type, ...common, voices };
  }
  const { preset } = context;
  const translates = preset.transcription?.translation_path != null && /whisper/i.test(choice.theirs);
  const languages = languagesFor(choice.theirs, listed, additions);
  const realtime = preset.realtime !== undefined && (listed?.realtime ?? LISTENERS.test(choice.theirs));
  return { type, ...common, languages, translates, ...(realtime ? { realtime } : {}) };
}

const tokenPrices = ({ tokenMicros }: Pick<Additions, "tokenMicros">) =>
  tokenMicros && { price_input_micros: tokenMicros.input, price_output_micros: tokenMicros.output };

function guessedType(name: string, { speech, transcription }: Preset): Kind {
  if (speech === null && transcription === null) return "llm";
  if (speech === null) return "stt";
  if (transcription === null) return "tts";
  return RECOGNIZERS.test(name) ? "stt" : "tts";
}

function languagesFor(name: string, listed: ListedModel | undefined, additions: Additions): string[] {
  if (additions.languages.length > 0) return additions.languages;
  if (listed && listed.languages.length > 0) return [...new Set(listed.languages)];
  const isMultilingual = /whisper|canary|voxtral/i.test(name) && !/\.en\b/i.test(name);
  return isMultilingual && additions.whisperLanguages.length > 0 ? additions.whisperLanguages : ["en"];
}

function voicesFor(model: string, { preset, found, additions }: Context): UpstreamVoice[] {
  const listed = found.voices.filter(({ models }) => models.length === 0 || models.includes(model));
  const named = [...additions.voices, ...(listed.length > 0 ? [] : preset.known_voices)].map(asListed);
  const voices = additions.voices.length > 0 ? named : [...listed, ...named];
  const taken = new Set<string>();
  return voices.map(({ id: speaker, name, language, locale }) => {
    const id = free(idOf(speaker.replace(/\.(wav|mp3)$/i, "")), taken);
    taken.add(id);
    const languages = spokenBy(speaker, language, { preset, additions });
    return { id, speaker, name, languages, ...(locale === null ? {} : { locale }) };
  });
}

const asListed = (id: string): ListedVoice => ({ id, name: id, language: null, locale: null, models: [] });

/** Names that differ in case, or in signs that an id cannot have. */
function free(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let count = 2; taken.has(candidate); count++) candidate = `${id}-${count}`;
  return candidate;
}

/** The first letter of a voice of Kokoro is its language. */
const LETTERS: Record<string, string> = {
  ...{ a: "en", b: "en", e: "es", f: "fr", h: "hi", i: "it", j: "ja", p: "pt", z: "zh" },
};

function spokenBy(
  speaker: string,
  language: string | null,
  { preset, additions }: Omit<Context, "found">,
): string[] {
  if (language !== null) return [language];
  const byLetter = /^[a-z][fm]_/.test(speaker) ? LETTERS[speaker[0]!] : undefined;
  if (byLetter && preset.speech?.language?.style === "kokoro") return [byLetter];
  return additions.languages.length > 0 ? additions.languages : ["en"];
}
