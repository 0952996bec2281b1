/**
 * Kokoro, as kokoro-onnx has it (a graph, and one archive of all voices) and as onnx-community does (`onnx/`, and a file of
 * each voice in `voices/`). A voice is a table of styles, one for each length of text; those of an archive become files.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { KOKORO_LETTERS } from "../../language-tag.ts";
import type { FloatArray } from "../../numpy/npy.ts";
import { readNpz } from "../../numpy/npz.ts";
import type { ModelFile } from "../../onnx/model-file.ts";
import { type FileList, headOf, jsonAt, LocalFilesError, namesOf } from "./file-list.ts";
import {
  dataFilesOf,
  idOf,
  type LocalFile,
  type LocalModel,
  type LocalVoice,
  precisionOf,
} from "./local-model.ts";

const STYLE = 256;
const ROWS = 510; // of a voice: the longest text
const VOCABULARY = 178;
const EMBEDDING = /word_embeddings\.weight(_quantized)?$/;
/** Some symbols and their ids: another vocabulary has others. @internal */
export const SOME_IDS: Record<string, number> = { a: 43, ə: 83, ɛ: 86, ʃ: 131, ʤ: 82, ˈ: 156, ᵻ: 177 };

export const isKokoro = (graph: ModelFile): boolean => {
  const inputs = namesOf(graph.inputs);
  return inputs.some((name) => /^(input_ids|tokens)$/.test(name)) && inputs.includes("style");
};

export function kokoroModel(list: FileList, path: string, graph: ModelFile): LocalModel {
  const { root } = list;
  checkGraph(list, path, graph);
  const voices = voiceFiles(list);
  const from = join(root, path);
  return {
    family: "kokoro",
    kind: "Kokoro",
    stem: precisionOf(basename(path)).stem === "model" ? basename(root) : basename(path, ".onnx"),
    files: [
      { role: "model", path: basename(path), from },
      ...dataFilesOf("model", { path: basename(path), from }, graph.dataFiles),
      ...voices,
    ],
    voices: voices.map(({ role }) => voiceOf(role.slice("voice-".length))),
    recognition: [],
    remarks: [],
  };
}

function checkGraph({ root, files }: FileList, path: string, graph: ModelFile): void {
  const read = (name: string) => (files.includes(name) ? jsonAt(root, name) : {}) as Record<string, unknown>;
  const config = read("config.json");
  if (typeof config.voices === "string")
    throw new LocalFilesError(
      `${path} is KittenTTS, not Kokoro. Install one of its published packages: loquat models pull kitten-mini.`,
    );
  const embedding = [...graph.weights].find(([name]) => EMBEDDING.test(name))?.[1][0];
  if (embedding !== undefined && embedding !== VOCABULARY) throw otherVocabulary(path);
  const tokenizer = read("tokenizer.json");
  const tables = [config.vocab, (tokenizer.model as { vocab?: unknown } | undefined)?.vocab];
  for (const table of tables)
    for (const [symbol, id] of Object.entries(SOME_IDS)) {
      const is = (table as Record<string, unknown> | undefined)?.[symbol];
      if (is !== undefined && is !== id) throw otherVocabulary(path);
    }
}

const otherVocabulary = (path: string) =>
  new LocalFilesError(
    `${path} has another vocabulary than Kokoro 1.0: Loquat would speak noise with it. Kokoro 1.1 for Chinese is such a model, and is not supported.`,
  );

/** A file of each voice, from an archive beside the graph, else from `voices/`. */
function voiceFiles({ root, files, chosen }: FileList): LocalFile[] {
  const archives = files.filter((path) => /\.(bin|npz)$/.test(path) && isZip(join(root, path)));
  const raw = files.filter((path) => /(^|\/)[a-z]{2}_\w+\.bin$/.test(path) && !archives.includes(path));
  const archive = chosen !== null && archives.includes(chosen) ? [chosen] : archives;
  if (archive.length > 1)
    throw new LocalFilesError(
      `Which voices? Name one of ${archive.join(", ")}, and leave the graph beside it.`,
    );
  if (archive[0] !== undefined) return filesOfArchive(root, archive[0]);
  if (raw.length === 0)
    throw new LocalFilesError(
      `${root} has no voices for Kokoro: put voices-v1.0.bin beside the graph, or a folder voices/ with files such as af_heart.bin.`,
    );
  return raw.map((path) => {
    const bytes = readFileSync(join(root, path));
    const name = basename(path, ".bin");
    if (bytes.length % (STYLE * Float32Array.BYTES_PER_ELEMENT) !== 0)
      throw new LocalFilesError(`${path} is cut short, or no voice of Kokoro: it has ${bytes.length} bytes.`);
    const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    return voiceFile(name, path, { shape: [values.length / STYLE, 1, STYLE], values });
  });
}

const isZip = (path: string) => headOf(path, 4).equals(Buffer.from([0x50, 0x4b, 3, 4]));

function filesOfArchive(root: string, path: string): LocalFile[] {
  let arrays: Map<string, FloatArray>;
  try {
    arrays = readNpz(readFileSync(join(root, path)));
  } catch (error) {
    throw new LocalFilesError(
      `${path} is no archive of voices, or is cut short: ${(error as Error).message.replace("this is another file: ", "")}.`,
    );
  }
  return [...arrays].map(([name, array]) => voiceFile(name, path, array));
}

/** The first versions have a row for no phonemes too, which is never spoken. */
function voiceFile(name: string, path: string, { shape, values }: FloatArray): LocalFile {
  const rows = values.length / STYLE;
  if (shape.at(-1) !== STYLE || (rows !== ROWS && rows !== ROWS + 1))
    throw new LocalFilesError(
      `${path} has no voice of Kokoro: ${name} is [${shape.join(", ")}], not [${ROWS}, 1, ${STYLE}].`,
    );
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    throw new LocalFilesError(
      `${path} has a voice named "${name}": names are small letters, digits, ".", "_" and "-".`,
    );
  if (/^z[fm]_\d{3}$/.test(name)) throw otherVocabulary(path);
  const table = values.slice(values.length - ROWS * STYLE);
  return { role: `voice-${name}`, path: `voices/${name}.bin`, bytes: new Uint8Array(table.buffer) };
}

/** "af_heart" is a woman's, of American English. */
function voiceOf(speaker: string): LocalVoice {
  const [, language = "", gender] = /^([a-z])([fm])_/.exec(speaker) ?? [];
  return {
    id: idOf(speaker),
    name: speaker.replace(/^[a-z]{2}_/, ""),
    speaker,
    locale: KOKORO_LETTERS.get(language) ?? null,
    gender: gender === "f" ? "female" : gender === "m" ? "male" : "neutral",
  };
}
