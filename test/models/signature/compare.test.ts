/** Promise: what contradicts the published facts of a package is named, file by file, and nothing else is. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import type { Family } from "../../../src/engine/families/families.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { compareFiles } from "../../../src/models/signature/compare.ts";
import { readFamilySignature, signatureOf } from "../../../src/models/signature/signature.ts";
import { type Graph, writeOnnx } from "../../../testing/onnx.ts";
import { encoderGraph, nemoContents } from "../../../testing/packages/families/nemo.ts";
import {
  STREAMING,
  streamingContents,
  streamingEncoderGraph,
} from "../../../testing/packages/families/nemo-streaming.ts";
import type { Contents } from "../../../testing/packages/model-store.ts";
import { published, type Sizes } from "../../../testing/packages/published.ts";
import { hasSilero, unlessSilero, WEIGHTS } from "../../clips.ts";

const MODELS = readConfig({}).models.folder;
const root = mkdtempSync(join(tmpdir(), "loquat-signature-"));
afterAll(() => rmSync(root, { recursive: true }));

const SIZES = { mels: 80, width: 24, hidden: 12, layers: 2, tokens: 32, scores: 37 };
const STREAMING_SIZES = {
  ...SIZES,
  blocks: 2,
  context: 4,
  convolution: 3,
  shift: STREAMING.shift,
  window: STREAMING.shift + STREAMING.lookback,
  pieces: 31,
};

function write(contents: Contents): { folder: string; files: { role: string; path: string }[] } {
  const folder = mkdtempSync(join(root, "package-"));
  for (const { path, bytes } of Object.values(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return { folder, files: Object.entries(contents).map(([role, { path }]) => ({ role, path })) };
}

type Named = { family: Family; name?: string; sizes?: Sizes };

const messagesOf = ({ family, name = "", sizes = {} }: Named, contents: Contents): string[] =>
  compareFiles(published(family, name, sizes), write(contents)).map(
    ({ path, message }) => `${path}: ${message}`,
  );

/** A transducer whose encoder is changed, held against what is published. */
const encoderMessages = (change: (graph: Graph) => Graph): string[] => {
  const bytes = writeOnnx(change(encoderGraph()));
  const contents = {
    ...nemoContents.joint({ durations: 5 }),
    encoder: { path: "encoder-model.onnx", bytes },
  };
  return messagesOf({ family: "nemo", sizes: SIZES }, contents);
};

const streamingMessages = (change: (graph: Graph) => Graph): string[] => {
  const bytes = writeOnnx(change(streamingEncoderGraph({ prompts: true })));
  const contents = { ...streamingContents(), encoder: { path: "encoder.onnx", bytes } };
  return messagesOf(
    { family: "nemo-streaming", name: "nemotron-3.5-streaming", sizes: STREAMING_SIZES },
    contents,
  );
};

const input =
  (name: string, change: object) =>
  (graph: Graph): Graph => ({
    ...graph,
    inputs: graph.inputs.map((port) => (port.name === name ? { ...port, ...change } : port)),
  });

describe("a package as it is published", () => {
  test("a package as published has no differences", () => {
    expect(encoderMessages((graph) => graph)).toEqual([]);
    expect(streamingMessages((graph) => graph)).toEqual([]);
  });

  test("may name the states of its decoder as its exporter did, and may have more outputs", () => {
    const graph = { ...encoderGraph() };
    const outputs = [...graph.outputs, { name: "length_too", type: "int64" as const, shape: ["batch"] }];
    const nodes = [...graph.nodes, { op: "Identity", inputs: ["length"], outputs: ["length_too"] }];
    expect(encoderMessages(() => ({ ...graph, outputs, nodes }))).toEqual([]);
    const contents = streamingContents();
    const decoder = Buffer.from(Buffer.from(contents.decoder.bytes).toString("latin1"), "latin1");
    for (const at of [...decoder.toString("latin1").matchAll(/onnx::Slice_3/g)].map(({ index }) => index))
      decoder.write("onnx::LSTM_31", at, "latin1");
    const named = { ...contents, decoder: { ...contents.decoder, bytes: decoder } };
    expect(
      messagesOf({ family: "nemo-streaming", name: "nemotron-en-streaming", sizes: STREAMING_SIZES }, named),
    ).toEqual([]);
  });

  test("may leave open what is published as fixed", () => {
    expect(encoderMessages(input("audio_signal", { shape: ["batch", "features", "time"] }))).toEqual([]);
  });
});

describe("what differs is named", () => {
  const cases: [name: string, messages: () => string[], expected: string][] = [
    [
      "a missing input",
      () => encoderMessages((graph) => ({ ...graph, inputs: graph.inputs.slice(0, 1) })),
      "encoder-model.onnx: it has no input length",
    ],
    [
      "another input",
      () =>
        encoderMessages((graph) => ({
          ...graph,
          inputs: [...graph.inputs, { name: "speaker", type: "int64", shape: [1] }],
        })),
      "encoder-model.onnx: it needs an input speaker, which is not published",
    ],
    [
      "another type",
      () => encoderMessages(input("length", { type: "int32" })),
      "encoder-model.onnx: input length is int32, published: int64",
    ],
    [
      "another size",
      () => encoderMessages(input("audio_signal", { shape: ["batch", 128, "time"] })),
      "encoder-model.onnx: dimension 1 of input audio_signal is 128, published: 80",
    ],
    [
      "a batch that is fixed",
      () => encoderMessages(input("audio_signal", { shape: [1, 80, "time"] })),
      "encoder-model.onnx: dimension 0 of input audio_signal is 1, published: any (batch)",
    ],
    [
      "another rank",
      () => encoderMessages(input("audio_signal", { shape: ["batch", 80] })),
      "encoder-model.onnx: input audio_signal has 2 dimensions, published: 3",
    ],
    [
      "missing metadata",
      () =>
        streamingMessages(({ metadata: { window_size: _, ...metadata } = {}, ...graph }) => ({
          ...graph,
          metadata,
        })),
      "encoder.onnx: its metadata lacks window_size",
    ],
    [
      "other metadata",
      () => streamingMessages((graph) => ({ ...graph, metadata: { ...graph.metadata, chunk_shift: "8" } })),
      'encoder.onnx: its metadata chunk_shift is "8", published: "16"',
    ],
    [
      "weights that are not beside their graph",
      () =>
        encoderMessages((graph) => ({
          ...graph,
          constants: [...graph.constants!, { name: "w", shape: [4], file: "encoder-model.onnx.data" }],
        })),
      "encoder-model.onnx: its weights are in encoder-model.onnx.data, which is not beside it",
    ],
    [
      "another vocabulary",
      () => {
        const vocabulary = { path: "vocab.txt", bytes: "<unk> 0\n▁a 1\n<blk> 2\n" };
        return messagesOf(
          { family: "nemo", sizes: SIZES },
          { ...nemoContents.joint({ durations: 5 }), vocabulary },
        );
      },
      "vocab.txt: it has 3 entries, published: 32 entries",
    ],
    [
      "what is no graph",
      () => {
        const encoder = { path: "encoder-model.onnx", bytes: "version https://git-lfs.github.com/spec/v1" };
        return messagesOf(
          { family: "nemo", sizes: SIZES },
          { ...nemoContents.joint({ durations: 5 }), encoder },
        );
      },
      "encoder-model.onnx: it is not an ONNX model",
    ],
    [
      "another configuration",
      () => {
        const config = { path: "config.json", bytes: JSON.stringify({ num_mel_bins: 80, d_model: 512 }) };
        return messagesOf({ family: "whisper", name: "whisper-tiny" }, { config });
      },
      "config.json: d_model is 512, published: 384",
    ],
    [
      "a voice that was cut",
      () =>
        messagesOf(
          { family: "kokoro", name: "kokoro-82m" },
          { "voice-af_heart": { path: "af.bin", bytes: "short" } },
        ),
      "af.bin: it has 5 bytes, published: 522240 bytes",
    ],
  ];
  test.each(cases)("%s", (_name, messages, expected) => {
    expect(messages().join("\n")).toContain(expected);
  });
});

test.skipIf(!hasSilero)(`the real weights of Silero have no differences${unlessSilero}`, () => {
  const family = readFamilySignature(MODELS, "silero")!;
  const files = { folder: join(WEIGHTS, "silero-vad"), files: [{ role: "model", path: "silero_vad.onnx" }] };
  expect(compareFiles(signatureOf(family, "silero-vad"), files)).toEqual([]);
});

describe("the signatures that are shipped", () => {
  const names = readdirSync(join(MODELS, "signatures")).map((file) => file.replace(".json", "") as Family);
  test("each is of the family it is named after, and of packages that exist or are of that family", () => {
    for (const name of names) expect(readFamilySignature(MODELS, name)?.family).toBe(name);
  });

  test("every package with sizes of its own has them listed", () => {
    const missing = [...readPackages(MODELS).values()].filter(
      ({ name, family }) =>
        ["nemo", "nemo-streaming", "moonshine", "canary", "whisper"].includes(family) &&
        !published(family, name).isListed,
    );
    expect(missing.map(({ name, family }) => `add ${name} to models/signatures/${family}.json`)).toEqual([]);
  });

  test("a file that is no signature is refused by its name", () => {
    const folder = mkdtempSync(join(root, "models-"));
    cpSync(join(MODELS, "signatures"), join(folder, "signatures"), { recursive: true });
    writeFileSync(join(folder, "signatures", "nemo.json"), JSON.stringify({ family: "nemo" }));
    expect(() => readFamilySignature(folder, "nemo")).toThrow("nemo.json: sources");
    expect(existsSync(join(folder, "signatures", "silero.json"))).toBe(true);
    expect(readFamilySignature(join(root, "nowhere"), "nemo")).toBeNull();
  });
});
