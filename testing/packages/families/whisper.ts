/** A small Whisper with the ports of the published exports and random weights: one layer, one head, forty letters. */
import { writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import type { Sizes } from "../published.ts";
import { openRandom } from "../random.ts";
import { SIZE, whisperDecoder, whisperEncoder } from "./whisper-graphs.ts";

export const WHISPER_MELS = 80;

/** `languages`: none for a model of English only, whose vocabulary still has places for the languages. */
type Model = {
  seed?: number;
  letters?: readonly string[];
  fluent?: boolean;
  isWide?: boolean;
  endsAt?: number;
  languages?: readonly string[];
  places?: number;
  sizes?: Sizes;
};

/** Letters as the vocabulary writes bytes: "Ġ" is a space. */
const LETTERS = [
  "Ġ",
  ...Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at)),
  ..."ABCDEFGHIJKL.",
];
const LANGUAGES = ["en", "de", "fr"];
const SIZES: Sizes = { mels: WHISPER_MELS, width: SIZE, heads: 1, layers: 1 };

const lettersOf = new Map<number, readonly string[]>();

/** As many pieces as the multilingual models have: words of letters by chance, each with its number. */
export function manyLetters(count = 50_257): readonly string[] {
  const made = lettersOf.get(count) ?? makeLetters(count);
  lettersOf.set(count, made);
  return made;
}

function makeLetters(count: number): string[] {
  const random = openRandom(11);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  return Array.from(
    { length: count },
    (_, at) => `Ġ${Array.from({ length: 4 }, letter).join("")}${at.toString(36)}`,
  );
}

/** Where the special tokens are, behind so many letters. */
function idsOf({ length }: readonly string[], languages: number) {
  const english = length + 2;
  const translate = english + languages;
  const noTimestamps = translate + 5;
  return {
    eot: length,
    sot: length + 1,
    english,
    translate,
    transcribe: translate + 1,
    noTimestamps,
    vocabulary: noTimestamps + 1 + 1501,
  };
}

type Ids = ReturnType<typeof idsOf>;

export const WHISPER_IDS = idsOf(LETTERS, LANGUAGES.length);

const { translate: TRANSLATE, eot: EOT } = WHISPER_IDS;
export const WHISPER_SUPPRESSED = [3, 7, ...Array.from({ length: 5 }, (_, at) => TRANSLATE + at), EOT + 1];

type Config = Pick<Ids, "eot" | "vocabulary">;

export const configOf = ({ eot, vocabulary }: Config, { mels, width, layers, heads }: Sizes) => ({
  model_type: "whisper",
  architectures: ["WhisperForConditionalGeneration"],
  num_mel_bins: mels,
  d_model: width,
  encoder_layers: layers,
  decoder_layers: layers,
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  max_source_positions: 1500,
  max_target_positions: 448,
  vocab_size: vocabulary,
  eos_token_id: eot,
  bos_token_id: eot,
  pad_token_id: eot,
  decoder_start_token_id: eot + 1,
  is_encoder_decoder: true,
});

/** What a model of English only lacks is absent here too. */
const languagesOf = ({ english, translate }: Ids, languages: readonly string[]) =>
  languages.length === 0
    ? { is_multilingual: false }
    : {
        is_multilingual: true,
        lang_to_id: Object.fromEntries(languages.map((language, at) => [`<|${language}|>`, english + at])),
        task_to_id: { translate, transcribe: translate + 1 },
      };

const generationOf = (ids: Ids, languages: readonly string[], suppressed: number[]) => ({
  eos_token_id: ids.eot,
  bos_token_id: ids.eot,
  pad_token_id: ids.eot,
  decoder_start_token_id: ids.eot + 1,
  ...languagesOf(ids, languages),
  no_timestamps_token_id: ids.noTimestamps,
  max_initial_timestamp_index: 1500,
  suppress_tokens: suppressed,
  begin_suppress_tokens: [0, ids.eot],
  alignment_heads: [[0, 0]],
  max_length: 448,
  return_timestamps: true,
});

/** Both graphs, before they are files. */
export function whisperGraphs({ seed = 1, fluent = false, isWide = fluent, endsAt, ...model }: Model = {}) {
  const { ids, sizes } = layoutOf(model);
  const graph = { seed, sizes, endOfText: ids.eot, fluent, isWide, endsAt: endsAt ?? null };
  return { encoder: whisperEncoder(graph), decoder: whisperDecoder(graph) };
}

function layoutOf({
  letters = LETTERS,
  languages = LANGUAGES,
  places = languages.length,
  sizes = {},
}: Model) {
  const ids = idsOf(letters, places);
  return { ids, letters, languages, sizes: { ...SIZES, ...sizes, vocabulary: ids.vocabulary } };
}

/** The files that are no graphs. */
export function whisperSettings(model: Model = {}): Contents {
  const { ids, letters, languages, sizes } = layoutOf(model);
  const suppressed = letters === LETTERS ? WHISPER_SUPPRESSED : [];
  const vocab = Object.fromEntries(letters.map((letter, at) => [letter, at]));
  return {
    config: { path: "config.json", bytes: JSON.stringify(configOf(ids, sizes)) },
    generation: {
      path: "generation_config.json",
      bytes: JSON.stringify(generationOf(ids, languages, suppressed)),
    },
    tokenizer: {
      path: "tokenizer.json",
      bytes: JSON.stringify({ model: { type: "BPE", vocab, merges: [] } }),
    },
  };
}

export function whisperContents(model: Model = {}): Contents {
  const { encoder, decoder } = whisperGraphs(model);
  return {
    encoder: { path: "onnx/encoder_model.onnx", bytes: writeOnnx(encoder) },
    decoder: { path: "onnx/decoder_model_merged.onnx", bytes: writeOnnx(decoder) },
    ...whisperSettings(model),
  };
}
