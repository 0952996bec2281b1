/** What lies beside the graphs of Pocket TTS: the settings of a bundle, the tokenizer in both forms, and voices. */
import { toInt16, wavHeader } from "../../../src/audio/pcm.ts";
import { bytesField, numberField } from "../../../src/onnx/protobuf.ts";
import type { Contents } from "../model-store.ts";
import { published } from "../published.ts";
import { openRandom, weights } from "../random.ts";

export const [LATENT, WIDTH, FRAME, LAYERS] = [32, 1024, 1920, 6];

const WORDS = [
  ..."▁the ▁a ▁is ▁and ▁of ▁to ▁you ▁hello ▁Hello ▁world ▁there ▁are ▁How ▁how ▁today ▁sentence ▁First".split(
    " ",
  ),
  ..."▁Second ▁It ▁was ▁best ▁worst ▁times ing er on re ll th ▁w ▁s ▁h ▁t ▁b ▁c".split(" "),
];
const LETTERS = [..."▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'\"-", "..."];
const byteName = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/** In the order of their ids. `type` as in the model file: 2 is unknown, 6 is a byte. */
const PIECES: { text: string; score: number; type: number }[] = [
  { text: "<unk>", score: 0, type: 2 },
  ...Array.from({ length: 256 }, (_, byte) => ({ text: byteName(byte), score: -20, type: 6 })),
  ...WORDS.map((text, at) => ({ text, score: -5 - at / 16, type: 1 })),
  ...LETTERS.map((text, at) => ({ text, score: -7.5 - at / 64, type: 1 })),
];

/** As SentencePiece writes it; nothing is replaced, and spaces stay. */
export function modelVocabulary(): Uint8Array {
  const score = (value: number) =>
    Buffer.concat([Uint8Array.of(2 * 8 + 5), new Uint8Array(Float32Array.of(value).buffer)]);
  const pieces = PIECES.map((piece) =>
    bytesField(1, Buffer.concat([bytesField(1, piece.text), score(piece.score), numberField(3, piece.type)])),
  );
  return Buffer.concat([
    ...pieces,
    bytesField(3, Buffer.concat([bytesField(1, "identity"), numberField(4, 0)])),
  ]);
}

export function jsonVocabulary(): Contents {
  const ids = Object.fromEntries(PIECES.map(({ text }, id) => [text, id]));
  const scores = Object.fromEntries(PIECES.map(({ text, score }) => [text, score]));
  return {
    vocabulary: { path: "vocab.json", bytes: JSON.stringify(ids) },
    scores: { path: "token_scores.json", bytes: JSON.stringify(scores) },
  };
}

type Entry = { index: number; module: string; key: string; dtype: string; fill: string; shape: number[] };

const DECODER_MODULES = [
  "decoder.model.0 first previous",
  "decoder.model.11 first previous",
  "decoder.model.2 partial",
  "decoder.model.3.block.1 first previous",
  "decoder.model.3.block.3 first previous",
  "decoder.model.5 partial",
  "decoder.model.6.block.1 first previous",
  "decoder.model.6.block.3 first previous",
  "decoder.model.8 partial",
  "decoder.model.9.block.1 first previous",
  "decoder.model.9.block.3 first previous",
  "decoder_transformer.transformer.layers.0.self_attn cache end_offset offset",
  "decoder_transformer.transformer.layers.1.self_attn cache end_offset offset",
  "downsample.conv first previous",
  "encoder.model.0 first previous",
  "encoder.model.1.block.1 first previous",
  "encoder.model.1.block.3 first previous",
  "encoder.model.11 first previous",
  "encoder.model.3 first previous",
  "encoder.model.4.block.1 first previous",
  "encoder.model.4.block.3 first previous",
  "encoder.model.6 first previous",
  "encoder.model.7.block.1 first previous",
  "encoder.model.7.block.3 first previous",
  "encoder.model.9 first previous",
  "encoder_transformer.transformer.layers.0.self_attn cache end_offset offset",
  "encoder_transformer.transformer.layers.1.self_attn cache end_offset offset",
  "upsample.convtr partial",
];
const mainModules = (layers: number) =>
  Array.from(
    { length: layers },
    (_, layer) => `transformer.layers.${layer}.self_attn cache current_end step`,
  );
const FILLS: Record<string, string> = { first: "ones", current_end: "empty" };

/** Of the caches, where a test needs them small (a run copies all of them); and of the model. */
export type Sizes = { positions?: number; window?: number; layers?: number };

/** The states of a graph, as a bundle lists them. */
function statesOf(role: "main" | "decoder", modules: string[], sizes: Sizes): Entry[] {
  const { inputs } = published("pocket", "pocket-tts-en", { ...sizes }).graph(role)!;
  const keys = modules.flatMap((line) => {
    const [module, ...names] = line.split(" ");
    return names.map((key) => ({ module: module!, key }));
  });
  return keys.map(({ module, key }, index) => {
    const { type, shape } = inputs.find(({ name }) => name === `state_${index}`)!;
    const fill = role === "main" && key === "cache" ? "nan" : (FILLS[key] ?? "zeros");
    return {
      index,
      input_name: `state_${index}`,
      output_name: `out_state_${index}`,
      module,
      key,
      path: `${module}/${key}`,
      dtype: type,
      fill,
      shape: shape as number[],
    };
  });
}

export type Spoken = { language?: "english" | "german" };

export const bundleOf = (language: string, sizes: Sizes = {}): string =>
  JSON.stringify({
    schema_version: 2,
    bundle_name: language,
    language,
    sample_rate: 24_000,
    frame_rate: 12.5,
    samples_per_frame: 1920,
    latent_dim: 32,
    conditioning_dim: 1024,
    max_token_per_chunk: 50,
    pad_with_spaces_for_short_inputs: false,
    remove_semicolons: language === "german",
    model_recommended_frames_after_eos: null,
    insert_bos_before_voice: true,
    tokenizer_file: "tokenizer.model",
    bos_before_voice_file: "bos_before_voice.npy",
    predefined_voices: [],
    flow_lm_state_manifest: statesOf("main", mainModules(sizes.layers ?? LAYERS), sizes),
    mimi_state_manifest: statesOf("decoder", DECODER_MODULES, sizes),
  });

/** Half a second and more of a voice, of whole frames. */
export const recordingOf = (seconds: number, seed = 1): Float32Array =>
  weights(openRandom(seed), Math.round(seconds * 12.5) * FRAME, 0.3);

/** A WAV file of 16 bits at 24 kHz. */
export const wavOf = (samples: Float32Array): Uint8Array =>
  Buffer.concat([wavHeader(samples.length, 24_000), new Uint8Array(toInt16(samples).buffer)]);

/** The caches of a voice of so many positions, as Kyutai publishes them. */
export function safetensorsOf(positions: number, layers = LAYERS): Uint8Array {
  const sizes = 2 * positions * WIDTH;
  const caches = Array.from({ length: layers }, (_, layer) => weights(openRandom(layer), sizes, 0.2));
  const head: Record<string, object> = { __metadata__: { format: "pt" } };
  for (const layer of caches.keys()) {
    head[`transformer.layers.${layer}.self_attn/cache`] = {
      dtype: "F32",
      shape: [2, 1, positions, 16, 64],
      data_offsets: [4 * sizes * layer, 4 * sizes * (layer + 1)],
    };
  }
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...caches.map(({ buffer }) => new Uint8Array(buffer))]);
}

/** An array as NumPy writes it: 128 bytes of head, then float32 [1, 1, 1024]. */
export function rowFile(): Uint8Array {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, ${WIDTH}), }`.padEnd(117);
  const values = weights(openRandom(5), WIDTH, 0.1);
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    Uint8Array.of(118, 0),
    Buffer.from(`${head}\n`, "latin1"),
    new Uint8Array(values.buffer),
  ]);
}
