/**
 * The vocabulary of a tokenizer from its files: SentencePiece's model file, or pieces and scores as two JSON objects.
 * Field numbers are those of sentencepiece_model.proto.
 */
import { readFileSync } from "node:fs";
import Type from "typebox";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import { fieldsOf, textOf } from "../../../src/onnx/protobuf.ts";
import { checker } from "../../../src/schema.ts";
import { openCharacterMap } from "./character-map.ts";
import { byteOf, type Piece, type Vocabulary } from "./sentencepiece.ts";

const [PIECE, NORMALIZER] = [1, 3];
const [TEXT, SCORE, TYPE] = [1, 2, 3];
const [CHARACTER_MAP, ADDS_SPACE, REMOVES_SPACES] = [2, 3, 4];
/** What stands for no text: unknown ones, control signs, unused ones. */
const SILENT_TYPES = new Set([2, 3, 5]);

const SCORES = checker(Type.Record(Type.String(), Type.Number()));
const IDS = checker(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 1_000_000 })));

/** `tokenizer`: a model file. Else `vocabulary`: ids by piece, and `scores` by piece. */
export function readVocabulary(files: Record<string, string | undefined>): Vocabulary {
  if (files.tokenizer !== undefined) return readModel(readFileSync(files.tokenizer));
  const scores = readJsonFile(files.scores!, SCORES);
  const pieces = Object.entries(readJsonFile(files.vocabulary!, IDS)).map(([text, id]): [string, Piece] => [
    text,
    { id, score: scores[text] ?? 0, ...byteOf(text) },
  ]);
  return { pieces: new Map(pieces), normalize: spacedOnce };
}

/** Without a model file, a space that is there counts as the one in front. */
const spacedOnce = (text: string): string => (text.startsWith(" ") ? text : ` ${text}`);

function readModel(model: Uint8Array): Vocabulary {
  const pieces = new Map<string, Piece>();
  let id = 0;
  let normalize = spacedOnce;
  for (const { number, value } of fieldsOf(model)) {
    if (number === PIECE) {
      const { text, score, type } = pieceOf(value);
      if (!SILENT_TYPES.has(type)) pieces.set(text, { id, score, ...byteOf(text) });
      id++;
    }
    if (number === NORMALIZER) normalize = normalizerOf(value);
  }
  return { pieces, normalize };
}

function pieceOf(bytes: Uint8Array) {
  const piece = { text: "", score: 0, type: 1 };
  for (const { number, value, ...field } of fieldsOf(bytes)) {
    if (number === TEXT) piece.text = textOf({ number, value, ...field });
    if (number === SCORE) piece.score = new DataView(value.buffer, value.byteOffset).getFloat32(0, true);
    if (number === TYPE) piece.type = value[0]!;
  }
  return piece;
}

/** The characters that are replaced, and whether spaces are joined and trimmed. */
function normalizerOf(bytes: Uint8Array): (text: string) => string {
  let replace = (text: string) => text;
  let [addsSpace, removesSpaces] = [true, true]; // what the format says where the fields are absent
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === CHARACTER_MAP) replace = openCharacterMap(value);
    if (number === ADDS_SPACE) addsSpace = value[0] !== 0;
    if (number === REMOVES_SPACES) removesSpaces = value[0] !== 0;
  }
  return (text) => {
    const replaced = replace(text);
    const spaced = removesSpaces ? replaced.replace(/ {2,}/g, " ").trim() : replaced;
    return addsSpace && spaced !== "" ? ` ${spaced}` : spaced;
  };
}
