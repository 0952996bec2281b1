/**
 * A small KittenTTS with the published ports, and the `duration` that the exports also return: each id lasts as its number
 * says, and the sound is a tone by the mean of the style.
 */
import { crc32 } from "node:zlib";
import { type Graph, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { metadataOf, portsOf, published } from "../published.ts";
import { durationNodes, durationSizes, TONE, toneNodes } from "./voices.ts";

export const KITTEN_VOICES = ["2", "3", "4", "5"].flatMap((number) => [
  `expr-voice-${number}-m`,
  `expr-voice-${number}-f`,
]);
const NAMES = ["Jasper", "Bella", "Bruno", "Luna", "Hugo", "Rosie", "Leo", "Kiki"];
const ROWS = 400;
const STYLE = 256;

/** As in the published nano model. */
export const kittenSettings = () => ({
  name: "Kitten TTS",
  type: "ONNX2",
  model_file: "model.onnx",
  voices: "voices.npz",
  speed_priors: Object.fromEntries(KITTEN_VOICES.map((voice) => [voice, voice.endsWith("4-m") ? 0.9 : 0.8])),
  voice_aliases: Object.fromEntries(NAMES.map((name, at) => [name, KITTEN_VOICES[at]!])),
});

function kittenGraph(): Graph {
  const signature = published("kitten", "").graph("model")!;
  const { inputs, outputs } = portsOf(signature);
  return {
    inputs,
    outputs,
    metadata: metadataOf(signature),
    nodes: [
      ...durationNodes("duration"),
      { op: "ReduceSum", inputs: ["duration"], outputs: ["frames"], attributes: { keepdims: 1 } },
      { op: "Mul", inputs: ["frames", "frame"], outputs: ["length"] },
      { op: "ReduceMean", inputs: ["style"], outputs: ["tone"], attributes: { axes: [0, 1], keepdims: 0 } },
      ...toneNodes("waveform"),
    ],
    constants: [...durationSizes(), ...TONE],
  };
}

/** Every row of every voice has another tone. */
export const kittenStyle = (voice: number, row: number) => 0.02 + 0.0001 * row + voice / 1000;

const npyOf = (voice: number): Buffer =>
  npyFile(
    [ROWS, STYLE],
    Float32Array.from({ length: ROWS * STYLE }, (_, at) => kittenStyle(voice, Math.floor(at / STYLE))),
  );

/** As NumPy writes it. */
export const npyFile = (shape: number[], values: Float32Array): Buffer => {
  const described = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const header = Buffer.from(`${described.padEnd(117)}\n`); // 10 bytes before it make 128
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    length,
    header,
    Buffer.from(values.buffer),
  ]);
};

/** A ZIP archive whose entries are stored, as NumPy writes it. */
export function zipOf(entries: [name: string, content: Buffer][]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content] of entries) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, place, Buffer.from(name)]));
    parts.push(local, content);
    offset += local.length + content.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\x05\x06"), end]);
}

export const kittenContents = (): Contents => ({
  model: { path: "kitten.onnx", bytes: writeOnnx(kittenGraph()) },
  voices: {
    path: "voices.npz",
    bytes: zipOf(KITTEN_VOICES.map((name, voice) => [`${name}.npy`, npyOf(voice)])),
  },
  settings: { path: "config.json", bytes: JSON.stringify(kittenSettings()) },
});
