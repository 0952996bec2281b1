/** Models as people have them: files in a folder, with no manifest. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npyFile, zipOf } from "./families/kitten.ts";
import { kokoroGraph, kokoroVoice, piperContents, piperVoice } from "./families/voices.ts";
import { whisperContents } from "./families/whisper.ts";

export type LocalFiles = Record<string, Uint8Array | string>;

export function writeFiles(folder: string, files: LocalFiles): string {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

/** A voice and its configuration, with other values where the test says so. */
export const piperFiles = (config: object = {}, name = "de_DE-tiny-medium"): LocalFiles => ({
  [`${name}.onnx`]: piperContents().model!.bytes,
  [`${name}.onnx.json`]: JSON.stringify({ ...piperVoice(), ...config }),
});

const STYLES = [510, 1, 256];

/** An archive of voices as kokoro-onnx has it; `rows`: of each. */
export const kokoroArchive = (names: string[], rows = STYLES[0]!): Buffer =>
  zipOf(
    names.map((name, at) => {
      const styles = new Float32Array(kokoroVoice(at + 1).buffer);
      const values = Float32Array.from({ length: rows * 256 }, (_, index) => styles[index % styles.length]!);
      return [`${name}.npy`, npyFile([rows, 1, 256], values)];
    }),
  );

export const kokoroOnnxFiles = (voices = ["af_heart", "bm_george"]): LocalFiles => ({
  "kokoro-v1.0.onnx": kokoroGraph(true),
  "voices-v1.0.bin": kokoroArchive(voices),
});

/** As onnx-community has it. */
export const kokoroHubFiles = (): LocalFiles => ({
  "onnx/model.onnx": kokoroGraph(),
  "voices/af_heart.bin": kokoroVoice(),
  "voices/ef_dora.bin": kokoroVoice(2),
});

export const whisperFiles = (): LocalFiles =>
  Object.fromEntries(Object.values(whisperContents()).map(({ path, bytes }) => [path, bytes]));
