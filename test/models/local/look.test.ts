/** Promise: files of a model are recognized as what they are, and what cannot be used is refused by its name. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SOME_IDS } from "../../../src/models/local/kokoro-files.ts";
import { licenseBeside } from "../../../src/models/local/local-license.ts";
import { readableVoices } from "../../../src/models/local/local-package.ts";
import { modelAt } from "../../../src/models/local/look.ts";
import { writeOnnx } from "../../../testing/onnx.ts";
import { kokoroGraph, kokoroVoice } from "../../../testing/packages/families/voices.ts";
import { whisperGraphs } from "../../../testing/packages/families/whisper.ts";
import {
  kokoroArchive,
  kokoroHubFiles,
  kokoroOnnxFiles,
  type LocalFiles,
  piperFiles,
  whisperFiles,
  writeFiles,
} from "../../../testing/packages/local-files.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";

const root = mkdtempSync(join(tmpdir(), "loquat-local-"));
afterAll(() => rmSync(root, { recursive: true }));

const folderOf = (files: LocalFiles) => writeFiles(mkdtempSync(join(root, "model-")), files);
const look = (files: LocalFiles, name = "") => modelAt(join(folderOf(files), name));

describe("a Piper voice", () => {
  test.each([
    ["its folder", ""],
    ["its graph", "de_DE-tiny-medium.onnx"],
    ["its configuration", "de_DE-tiny-medium.onnx.json"],
  ])("is recognized by %s", (_, name) => {
    const { family, files, voices } = look(piperFiles(), name);
    expect(family).toBe("vits");
    expect(files.map(({ role, path }) => `${role} ${path}`)).toEqual([
      "model de_DE-tiny-medium.onnx",
      "config de_DE-tiny-medium.onnx.json",
    ]);
    expect(voices).toEqual([
      { id: "tiny", name: "tiny", speaker: "tiny", locale: "de-DE", gender: "neutral" },
    ]);
  });

  test("speaks what its configuration says, before its name and its phonemes", () => {
    const locale = (config: object, name?: string) => look(piperFiles(config, name)).voices[0]!.locale;
    expect(locale({ language: { code: "pt_BR" } })).toBe("pt-BR");
    expect(locale({}, "voice")).toBe("de");
    expect(locale({ espeak: { voice: "mb-de-2" } }, "voice")).toBeNull();
  });

  test("of several in a folder one is to be named", () => {
    const files = { ...piperFiles(), ...piperFiles({}, "en_US-other-low") };
    expect(() => look(files)).toThrow("name one of de_DE-tiny-medium.onnx, en_US-other-low.onnx");
    expect(look(files, "en_US-other-low.onnx").voices[0]!.locale).toBe("en-US");
  });
});

describe("Kokoro", () => {
  const LAYOUTS: [name: string, files: LocalFiles, locales: (string | null)[]][] = [
    ["as kokoro-onnx has it", kokoroOnnxFiles(), ["en-US", "en-GB"]],
    [
      "with another archive of voices",
      { "kokoro.int8.onnx": kokoroGraph(true), "mine.npz": kokoroArchive(["jf_alpha", "someone"]) },
      ["ja", null],
    ],
    ["as onnx-community has it", kokoroHubFiles(), ["en-US", "es"]],
  ];
  test.each(LAYOUTS)("is recognized %s", (_, files, locales) => {
    const { family, voices, files: found } = look(files);
    expect(family).toBe("kokoro");
    expect(voices.map(({ locale }) => locale)).toEqual(locales);
    const sizes = found.flatMap((file) => ("bytes" in file ? [file.bytes.length] : []));
    expect(sizes).toEqual([522_240, 522_240]);
  });

  test("of the first versions, whose voices have a row for no phonemes", () => {
    const [, voice] = look({
      "kokoro-v0_19.onnx": kokoroGraph(true),
      "voices.bin": kokoroArchive(["af"], 511),
    }).files;
    const first = new Float32Array(kokoroVoice().buffer)[256]!;
    expect("bytes" in voice! && new Float32Array(voice.bytes.buffer)[0]).toBe(first);
  });

  test("of several precisions the exact one is taken, or the one that is named", () => {
    const files = { ...kokoroOnnxFiles(), "kokoro-v1.0.int8.onnx": kokoroGraph(true) };
    const taken = ({ files, remarks }: ReturnType<typeof modelAt>) => [files[0]!.path, remarks.length];
    expect(taken(look(files))).toEqual(["kokoro-v1.0.onnx", 1]);
    expect(taken(look(files, "kokoro-v1.0.int8.onnx"))).toEqual(["kokoro-v1.0.int8.onnx", 0]);
  });

  test("is known by ids of symbols that the engine uses", () => {
    expect(Object.keys(SOME_IDS).map((symbol) => kokoroIds(symbol))).toEqual(
      Object.values(SOME_IDS).map((id) => [id]),
    );
  });

  test("voices of a language that nothing reads are left out, or refused where there are no others", () => {
    const some = readableVoices(look(kokoroOnnxFiles(["af_heart", "jf_alpha"])), null);
    expect(some.voices.map(({ speaker }) => speaker)).toEqual(["af_heart"]);
    expect(some.remarks[0]).toContain("Left out: jf_alpha. Japanese");
    const japanese = look(kokoroOnnxFiles(["jf_alpha"]));
    expect(() => readableVoices(japanese, null)).toThrow(/Japanese needs a dictionary.*--language/);
    expect(readableVoices(japanese, "en-US").voices[0]!.locale).toBe("en-US");
  });
});

describe("Whisper", () => {
  test("is recognized by its folder, and says what it recognizes", () => {
    const { family, files, recognition } = look(whisperFiles());
    expect(family).toBe("whisper");
    expect(files.map(({ role }) => role)).toEqual([
      "encoder",
      "decoder",
      "config",
      "generation",
      "tokenizer",
    ]);
    expect(recognition[0]).toMatchObject({ languages: ["en", "de", "fr"], translates: true });
  });

  test("of several precisions the exact pair is taken, or that of the file that is named", () => {
    const files = whisperFiles();
    const all = {
      ...files,
      "onnx/encoder_model_int8.onnx": files["onnx/encoder_model.onnx"]!,
      "onnx/decoder_model_merged_int8.onnx": files["onnx/decoder_model_merged.onnx"]!,
    };
    const decoder = (name: string) => look(all, name).files[1]!.path;
    expect(decoder("")).toBe("onnx/decoder_model_merged.onnx");
    expect(decoder("onnx/encoder_model_int8.onnx")).toBe("onnx/decoder_model_merged_int8.onnx");
  });

  test("without attention it says that times are estimates", () => {
    const { decoder } = whisperGraphs();
    const outputs = decoder.outputs.filter(({ name }) => !name.startsWith("cross_attentions"));
    const files = { ...whisperFiles(), "onnx/decoder_model_merged.onnx": writeOnnx({ ...decoder, outputs }) };
    expect(look(files).remarks[0]).toContain("estimates");
  });
});

test.each([
  ["MODEL_CARD", "# Model card\n\n* License: CC0\n", "CC0-1.0"],
  ["MODEL_CARD", "* License: CC BY 4.0\n", "CC-BY-4.0"],
  ["MODEL_CARD", "* License: see the page of the data set\n", undefined],
  ["README.md", "---\ntags: [speech]\nlicense: apache-2.0\n---\n# Kokoro", "Apache-2.0"],
  ["README.md", "The license: mit", undefined],
])("the licence that %s states is read, case %#", (name, text, spdx) => {
  expect(licenseBeside(folderOf({ ...piperFiles(), [name]: text }))?.spdx).toBe(spdx!);
});
