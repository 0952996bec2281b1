/** Layouts of the same models that no engine here reads, by what their files look like, and what to do instead. */
import { basename, join } from "node:path";
import type { ModelFile } from "../../onnx/model-file.ts";
import { type FileList, headOf, namesOf } from "./file-list.ts";

const WHISPER =
  "take the ONNX export of the model (onnx-community/whisper-…_timestamped), or loquat models pull whisper-tiny and the like";

type Layout = { isIt: (list: FileList, names: string[]) => boolean; says: string };

/** By their first bytes. */
const startsWith =
  (...texts: string[]) =>
  ({ root, files }: FileList) =>
    files.some((path) =>
      texts.some((text) => headOf(join(root, path), text.length).toString("latin1") === text),
    );

const LAYOUTS: Layout[] = [
  {
    isIt: (_, names) => names.some((name) => /^(us|gb)_(gold|silver)\.json$/.test(name)),
    says: "These are dictionaries of misaki, incomplete or of another version than the package: loquat models pull misaki-en.",
  },
  {
    isIt: (_, names) =>
      names.includes("model.bin") && names.some((name) => /^vocabulary\.(txt|json)$/.test(name)),
    says: `This is a CTranslate2 model, as faster-whisper has it, which Loquat does not run: ${WHISPER}.`,
  },
  {
    isIt: startsWith("GGUF"),
    says: `This is a GGUF model, as llama.cpp has it, which Loquat does not run: take an ONNX export of the model. A server that runs it can be an upstream: loquat upstream add.`,
  },
  {
    isIt: startsWith("lmgg", "ggml", "tjgg"),
    says: `This is a ggml model of whisper.cpp, which Loquat does not run: ${WHISPER}. A running whisper.cpp can be an upstream: loquat upstream add.`,
  },
  {
    isIt: (_, names) => names.includes("encoder_model.ort") && names.includes("decoder_model_merged.ort"),
    says: "This is Moonshine of the first generation (encoder_model.ort, decoder_model_merged.ort), which Loquat does not run: loquat models pull moonshine-tiny-streaming has the second.",
  },
  {
    isIt: (_, names) => names.some((name) => name.endsWith(".ort")),
    says: "These are models in ONNX Runtime's own format (.ort). Loquat takes .onnx files; of Moonshine: loquat models pull moonshine-tiny-streaming.",
  },
  {
    isIt: (_, names) => names.some((name) => name.endsWith(".nemo")),
    says: "This is a NeMo archive, which Loquat does not run: loquat models pull parakeet-tdt-0.6b-v3 and the like have the ONNX exports.",
  },
  {
    isIt: (_, names) =>
      names.some((name) => /\.(safetensors|pt|pth|ckpt)$|^pytorch_model.*\.bin$/.test(name)),
    says: "These are weights for PyTorch, which Loquat does not run: export them to ONNX (optimum-cli export onnx for Whisper; piper's export_onnx for a Piper checkpoint), and add the folder of the export.",
  },
];

/** What the files are, where they are something that is known; null where they are not. */
export function otherLayout(list: FileList): string | null {
  const names = list.files.map((path) => basename(path));
  return LAYOUTS.find(({ isIt }) => isIt(list, names))?.says ?? null;
}

/** The same of a graph. */
export function otherGraph(path: string, { inputs, outputs }: ModelFile): string | null {
  const [taken, returned] = [namesOf(inputs), namesOf(outputs)];
  if (taken.includes("mel") || taken.includes("in_n_layer_self_k_cache"))
    return `${path} is Whisper as sherpa-onnx exports it, which Loquat does not run: ${WHISPER}.`;
  if (taken.includes("input_values") && returned.includes("last_hidden_state"))
    return `${path} is an encoder of raw audio, such as that of Moonshine's first generation, which Loquat does not run: loquat models pull moonshine-tiny-streaming has the second.`;
  if (taken.includes("x") && taken.includes("x_length"))
    return `${path} is a voice as sherpa-onnx exports it (x, x_length): add Piper's own NAME.onnx and NAME.onnx.json.`;
  return null;
}
