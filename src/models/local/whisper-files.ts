/**
 * Whisper as Optimum and onnx-community export it: an encoder, a decoder with its cache in one graph ("merged"), and three
 * configurations.
 */
import { basename, join } from "node:path";
import type { ModelFile } from "../../onnx/model-file.ts";
import { tokenFaults } from "../signature/vocabulary.ts";
import { type FileList, graphAt, jsonAt, LocalFilesError, namesOf } from "./file-list.ts";
import { dataFilesOf, type LocalFile, type LocalModel, precisionOf } from "./local-model.ts";

const CONFIGS = { config: "config.json", generation: "generation_config.json", tokenizer: "tokenizer.json" };
const SPECIAL = 9; // tokens that are neither text, nor a language, nor a time
const TIMES = 1501; // every 20 ms of 30 s
const LACKING_MAX = 1; // the token of no bytes, which some vocabularies leave out
const RANK = 1000; // before every package: it was added to be used

export const isWhisperEncoder = ({ inputs, outputs }: ModelFile): boolean =>
  namesOf(inputs).includes("input_features") && namesOf(outputs).includes("last_hidden_state");

export const isWhisperDecoder = ({ inputs }: ModelFile): boolean => {
  const names = namesOf(inputs);
  return names.includes("input_ids") && names.includes("encoder_hidden_states");
};

/** `encoders` and `decoders`: paths of the graphs that are there. */
export type WhisperGraphFiles = { encoders: string[]; decoders: string[] };

export function whisperModel(list: FileList, { encoders, decoders }: WhisperGraphFiles): LocalModel {
  const { root, files } = list;
  const [encoder, decoder] = pairOf(list, { encoders, decoders });
  const missing = Object.values(CONFIGS).filter((name) => !files.includes(name));
  if (missing.length > 0)
    throw new LocalFilesError(
      `${root} lacks ${missing.join(" and ")}, which a Whisper export has beside its graphs.`,
    );
  const read = (name: string) => jsonAt(root, name);
  const [config, generation] = [read(CONFIGS.config), read(CONFIGS.generation)] as Settings[];
  const graphs = { encoder: graphAt(root, encoder), decoder: graphAt(root, decoder) };
  const languages = Object.keys(generation!.lang_to_id ?? {}).map((token) => token.slice(2, -2));
  checkVocabulary(root, { config: config!, languages: languages.length, graph: graphs.decoder });
  const tokenizer = read(CONFIGS.tokenizer) as Record<string, unknown>;
  const [fault] = tokenFaults(tokenizer, generation!, config!.eos_token_id!);
  if (fault) throw new LocalFilesError(`${CONFIGS.tokenizer} in ${root}: ${fault}.`);
  const named = (config as { _name_or_path?: string })._name_or_path?.split("/").at(-1);
  const several = languages.length > 1;
  // a decoder with fewer layers than the encoder was trained again, without translation
  const translates = several && config!.encoder_layers === config!.decoder_layers;
  return {
    family: "whisper",
    kind: several ? `Whisper, ${languages.length} languages` : "Whisper, English only",
    stem: named || basename(root),
    files: [
      ...graphFiles(root, { role: "encoder", path: encoder, graph: graphs.encoder }),
      ...graphFiles(root, { role: "decoder", path: decoder, graph: graphs.decoder }),
      ...Object.entries(CONFIGS).map(([role, path]): LocalFile => ({ role, path, from: join(root, path) })),
    ],
    voices: [],
    recognition: [
      {
        uses: ["batch", "streaming", "realtime"],
        languages: several ? languages.filter((tag) => /^[a-z]{2,3}$/.test(tag)) : ["en"],
        rank: RANK,
        ...(translates ? { translates } : {}),
      },
    ],
    remarks: namesOf(graphs.decoder.outputs).some((name) => name.startsWith("cross_attentions."))
      ? []
      : [
          "This export does not return its attention, so the times of words are estimates; one named …_timestamped does.",
        ],
  };
}

type Settings = {
  vocab_size?: number;
  d_model?: number;
  eos_token_id?: number;
  decoder_layers?: number;
  encoder_layers?: number;
  lang_to_id?: Record<string, number>;
};

/** Of the same precision, the exact one first; that of the file that was named. */
function pairOf(
  { root, chosen, files }: FileList,
  { encoders, decoders }: WhisperGraphFiles,
): [string, string] {
  const merged = decoders.filter((path) => namesOf(graphAt(root, path).inputs).includes("use_cache_branch"));
  if (decoders.length > 0 && merged.length === 0)
    throw new LocalFilesError(
      `${decoders.join(", ")} in ${root} ${decoders.length > 1 ? "have" : "has"} the cache in a graph of its own. Loquat needs decoder_model_merged.onnx: export again with optimum-cli export onnx, which writes it, or take the folder of onnx-community.`,
    );
  const lacking = encoders.length === 0 ? "encoder_model.onnx" : "decoder_model_merged.onnx";
  if (encoders.length === 0 || merged.length === 0) {
    const other = files.find((path) => basename(path) === lacking);
    const reason = other ? `${other} is no such graph of Whisper` : `it lacks ${lacking}`;
    throw new LocalFilesError(`${root} is half of a Whisper model: ${reason}.`);
  }
  const rankOf = (path: string) => precisionOf(basename(path)).rank;
  const isChosen = (path: string) => chosen === null || rankOf(path) === rankOf(chosen);
  const pairs = encoders
    .filter(isChosen)
    .flatMap((encoder) =>
      merged
        .filter((decoder) => rankOf(decoder) === rankOf(encoder))
        .map((decoder): [string, string] => [encoder, decoder]),
    )
    .toSorted((a, b) => rankOf(a[0]) - rankOf(b[0]));
  return pairs[0] ?? [encoders[0]!, merged[0]!];
}

type Vocabulary = { config: Settings; languages: number; graph: ModelFile };

function checkVocabulary(root: string, { config, languages, graph }: Vocabulary): void {
  const { vocab_size: size, eos_token_id: end } = config;
  if (size === undefined || end === undefined || config.d_model === undefined)
    throw new LocalFilesError(
      `${CONFIGS.config} in ${root} is no configuration of Whisper: it lacks vocab_size.`,
    );
  const scores = graph.outputs.find(({ name }) => name === "logits")?.shape.at(-1);
  if (typeof scores === "number" && scores !== size)
    throw new LocalFilesError(
      `The decoder belongs to another model: it scores ${scores} tokens, and ${CONFIGS.config} says ${size}.`,
    );
  const needed = end + (languages || 99) + SPECIAL + TIMES - 1;
  const ids = tokenIdsOf(root);
  const known = 1 + ids.reduce((most, id) => Math.max(most, id), 0);
  const lacking = end - new Set(ids.filter((id) => id < end)).size;
  if (known <= size && lacking > LACKING_MAX)
    throw new LocalFilesError(
      `${CONFIGS.tokenizer} in ${root} is incomplete: it lacks ${lacking} of ${end} tokens of text.`,
    );
  if (size < needed || known > size || known < end)
    throw new LocalFilesError(
      `${CONFIGS.tokenizer}, ${CONFIGS.generation} and ${CONFIGS.config} belong to different models: ${known} tokens in the first, ${needed} with the languages of the second, ${size} in the third.`,
    );
}

function tokenIdsOf(root: string): number[] {
  const { model, added_tokens } = jsonAt(root, CONFIGS.tokenizer) as {
    model?: { vocab?: Record<string, number> };
    added_tokens?: { id: number }[];
  };
  if (!model?.vocab) throw new LocalFilesError(`${CONFIGS.tokenizer} in ${root} has no vocabulary.`);
  return [...Object.values(model.vocab), ...(added_tokens ?? []).map(({ id }) => id)];
}

const graphFiles = (
  root: string,
  { role, path, graph }: { role: string; path: string; graph: ModelFile },
): LocalFile[] => {
  const file = { path, from: join(root, path) };
  return [{ role, ...file }, ...dataFilesOf(role, file, graph.dataFiles)];
};
