/** Promise: files that are cut short, belong to another model or are of another layout are refused by what they are. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalFilesError } from "../../../src/models/local/file-list.ts";
import { modelAt } from "../../../src/models/local/look.ts";
import { type Graph, writeOnnx } from "../../../testing/onnx.ts";
import { kokoroGraph, kokoroVoice, piperContents } from "../../../testing/packages/families/voices.ts";
import {
  kokoroArchive,
  kokoroHubFiles,
  kokoroOnnxFiles,
  type LocalFiles,
  piperFiles,
  whisperFiles,
  writeFiles,
} from "../../../testing/packages/local-files.ts";

const root = mkdtempSync(join(tmpdir(), "loquat-refused-"));
afterAll(() => rmSync(root, { recursive: true }));

const look = (files: LocalFiles) => modelAt(writeFiles(mkdtempSync(join(root, "model-")), files));

const bytesOf = (files: LocalFiles, path: string) => Buffer.from(files[path] as Uint8Array);
const changed = (
  files: LocalFiles,
  path: string,
  change: (json: Record<string, unknown>) => object,
): LocalFiles => ({
  ...files,
  [path]: JSON.stringify(change(JSON.parse(String(files[path])))),
});
const graph = (inputs: string[], outputs = ["out"]): Uint8Array => {
  const port = (name: string) => ({ name, type: "float32" as const, shape: [1] });
  const nodes: Graph["nodes"] = outputs.map((each) => ({
    op: "Identity",
    inputs: [inputs[0]!],
    outputs: [each],
  }));
  return writeOnnx({ inputs: inputs.map(port), outputs: outputs.map(port), nodes });
};
const whisper = whisperFiles();
const DECODER = "onnx/decoder_model_merged.onnx";

const REFUSED: [name: string, files: LocalFiles, message: string | RegExp][] = [
  [
    "a graph that is cut short",
    {
      ...piperFiles(),
      "de_DE-tiny-medium.onnx": bytesOf(piperFiles(), "de_DE-tiny-medium.onnx").subarray(0, 300),
    },
    /de_DE-tiny-medium\.onnx is no ONNX model, or is cut short/,
  ],
  [
    "a voice without its configuration",
    { "joe.onnx": piperContents().model!.bytes },
    "joe.onnx.json beside it",
  ],
  [
    "a configuration that is cut short",
    { ...piperFiles(), "de_DE-tiny-medium.onnx.json": '{"audio": {' },
    /onnx\.json is not JSON, or is cut short/,
  ],
  ["a configuration of letters", piperFiles({ phoneme_type: "text" }), 'the phonemes of "text"'],
  [
    "a configuration of several speakers",
    piperFiles({ num_speakers: 3 }),
    "it says 3 speakers, and de_DE-tiny-medium.onnx takes none",
  ],
  [
    "a configuration of something else",
    { ...piperFiles(), "de_DE-tiny-medium.onnx.json": "{}" },
    "lacks phoneme_id_map",
  ],
  [
    "phonemes that are shifted by one",
    piperFiles({ phoneme_id_map: { _: [1], "^": [2], $: [3], a: [15] } }),
    '"_" has the id 1, and 0 in every Piper voice',
  ],
  [
    "phonemes without ids",
    piperFiles({ phoneme_id_map: { _: [0], a: ["b"] } }),
    'phoneme_id_map has ["b"] for "a", which are no ids',
  ],
  [
    "Kokoro without voices",
    { "kokoro.onnx": kokoroGraph(true) },
    "has no voices for Kokoro: put voices-v1.0.bin",
  ],
  [
    "voices that are cut short",
    { ...kokoroOnnxFiles(), "voices-v1.0.bin": kokoroArchive(["af_heart"]).subarray(0, 200_000) },
    /voices-v1\.0\.bin is no archive of voices, or is cut short/,
  ],
  [
    "one voice that is cut short",
    { ...kokoroHubFiles(), "voices/af_heart.bin": kokoroVoice().subarray(0, 5000) },
    /voices\/af_heart\.bin is cut short/,
  ],
  [
    "voices of another model",
    { "kokoro.onnx": kokoroGraph(true), "voices.bin": kokoroArchive(["af"], 100) },
    "af is [100, 1, 256], not [510, 1, 256]",
  ],
  [
    "voices of Kokoro 1.1",
    { "kokoro.onnx": kokoroGraph(true), "voices.bin": kokoroArchive(["zf_001"]) },
    "another vocabulary than Kokoro 1.0",
  ],
  [
    "another vocabulary",
    { ...kokoroHubFiles(), "tokenizer.json": JSON.stringify({ model: { vocab: { a: 12 } } }) },
    "another vocabulary than Kokoro 1.0",
  ],
  [
    "KittenTTS",
    { "kitten.onnx": kokoroGraph(), "config.json": '{"voices": "voices.npz"}' },
    /is KittenTTS.*pull kitten-mini/,
  ],
  [
    "a vocabulary of another Whisper",
    changed(whisper, "config.json", (config) => ({ ...config, vocab_size: 51_864 })),
    /scores \d+ tokens, and config\.json says 51864/,
  ],
  [
    "languages of another Whisper",
    changed(whisper, "generation_config.json", ({ lang_to_id: _, ...rest }) => rest),
    /belong to different models: \d+ tokens/,
  ],
  [
    "a tokenizer of another Whisper",
    { ...whisper, "tokenizer.json": JSON.stringify({ model: { vocab: { a: 99_999 } } }) },
    "100000 tokens in the first",
  ],
  [
    "a tokenizer that is cut short",
    changed(whisper, "tokenizer.json", (tokenizer) => {
      const { vocab } = tokenizer.model as { vocab: Record<string, number> };
      const kept = Object.entries(vocab).filter(([, id]) => id < 10 || id > 20);
      return { ...tokenizer, model: { ...(tokenizer.model as object), vocab: Object.fromEntries(kept) } };
    }),
    /is incomplete: it lacks 11 of \d+ tokens of text/,
  ],
  [
    "Whisper with the graph of another model for its encoder",
    { ...whisper, "onnx/encoder_model.onnx": graph(["samples"]) },
    "half of a Whisper model: onnx/encoder_model.onnx is no such graph of Whisper",
  ],
  [
    "Whisper without its decoder",
    Object.fromEntries(Object.entries(whisper).filter(([path]) => path !== DECODER)),
    "it lacks decoder_model_merged.onnx",
  ],
  [
    "Whisper without its configuration",
    Object.fromEntries(Object.entries(whisper).filter(([path]) => !path.startsWith("generation"))),
    "lacks generation_config.json",
  ],
  [
    "Whisper with its cache in another graph",
    { ...whisper, [DECODER]: graph(["input_ids", "encoder_hidden_states"]) },
    "has the cache in a graph of its own",
  ],
  [
    "Whisper of sherpa-onnx",
    { "tiny-encoder.onnx": graph(["mel"], ["n_layer_cross_k"]) },
    "Whisper as sherpa-onnx exports it",
  ],
  [
    "CTranslate2",
    { "model.bin": "x", "vocabulary.txt": "a", "config.json": "{}" },
    /CTranslate2 model, as faster-whisper/,
  ],
  [
    "other dictionaries of English",
    { "us_gold.json": "{}", "gb_gold.json": "{}" },
    "loquat models pull misaki-en",
  ],
  ["GGUF", { "model.gguf": "GGUF\x03\0\0\0" }, "GGUF model"],
  ["ggml", { "ggml-tiny.bin": "lmgg\0\0\0\0" }, "ggml model of whisper.cpp"],
  [
    "Moonshine's first generation",
    { "encoder_model.ort": "x", "decoder_model_merged.ort": "x" },
    /Moonshine of the first generation.*pull moonshine/,
  ],
  ["PyTorch", { "model.safetensors": "x", "config.json": "{}" }, "weights for PyTorch"],
  ["a checkpoint", { "joe.ckpt": "x" }, "weights for PyTorch"],
  ["NeMo", { "parakeet.nemo": "x" }, "NeMo archive"],
  ["another graph", { "other.onnx": graph(["question", "state"]) }, "its inputs are question, state"],
  ["nothing", { "notes.txt": "x" }, "has no .onnx file"],
];
test.each(REFUSED)("%s is refused by its name", (_, files, message) => {
  expect(() => look(files)).toThrow(LocalFilesError);
  expect(() => look(files)).toThrow(message);
});

test("more phonemes than a voice knows are refused", () => {
  const known = { name: "enc_p.emb.weight", shape: [10, 2], values: new Float32Array(20) };
  const voice = graph(["input", "input_lengths", "scales"]);
  const small = writeOnnx({
    inputs: ["input", "input_lengths", "scales"].map((name) => ({ name, type: "float32", shape: [1] })),
    outputs: [{ name: "output", type: "float32", shape: [1] }],
    nodes: [{ op: "Identity", inputs: ["input"], outputs: ["output"] }],
    constants: [known],
  });
  const files = piperFiles();
  expect(() => look({ ...files, "de_DE-tiny-medium.onnx": small })).toThrow(
    /phonemes up to the id \d+, and de_DE-tiny-medium\.onnx knows 10/,
  );
  expect(look({ ...files, "de_DE-tiny-medium.onnx": voice }).family).toBe("vits");
});
