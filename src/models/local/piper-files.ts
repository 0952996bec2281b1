/** A Piper voice: `NAME.onnx`, and beside it `NAME.onnx.json`, which maps phonemes to the ids of the graph. */
import { basename, join } from "node:path";
import type { ModelFile } from "../../onnx/model-file.ts";
import { hasUsualPhonemes, phonemeFaults, phonemeRows } from "../signature/vocabulary.ts";
import { type FileList, jsonAt, LocalFilesError, namesOf } from "./file-list.ts";
import { dataFilesOf, idOf, type LocalModel, type LocalVoice } from "./local-model.ts";

type Config = {
  espeak?: { voice?: string };
  phoneme_type?: string;
  phoneme_id_map?: Record<string, number[]>;
  num_speakers?: number;
  speaker_id_map?: Record<string, number>;
  audio?: { sample_rate?: number };
  inference?: object;
  language?: { code?: string };
  dataset?: string;
};

export const isPiper = (graph: ModelFile): boolean => {
  const inputs = namesOf(graph.inputs);
  return ["input", "input_lengths", "scales"].every((name) => inputs.includes(name));
};

export function piperModel({ root, files }: FileList, path: string, graph: ModelFile): LocalModel {
  const beside = [`${path}.json`, path.replace(/\.onnx$/, ".json")].find((name) => files.includes(name));
  if (!beside)
    throw new LocalFilesError(
      `${path} is a Piper voice, and needs ${basename(path)}.json beside it: that file says which id is which phoneme.`,
    );
  const config = jsonAt(root, beside) as Config;
  checkPhonemes(config, { name: beside, path, graph });
  const stem = basename(path).replace(/\.onnx$/, "");
  const from = join(root, path);
  return {
    family: "vits",
    kind: "a Piper voice",
    stem,
    files: [
      { role: "model", path: basename(path), from },
      ...dataFilesOf("model", { path: basename(path), from }, graph.dataFiles),
      { role: "config", path: `${basename(path)}.json`, from: join(root, beside) },
    ],
    voices: voicesOf(config, stem),
    recognition: [],
    remarks: hasUsualPhonemes(config.phoneme_id_map!) ? [] : [unusual(beside)],
  };
}

const unusual = (config: string) =>
  `${config} has other phoneme ids than voices that Piper trained. If the voice is not understood, the file belongs to another model.`;

type Checked = { name: string; path: string; graph: ModelFile };

function checkPhonemes(config: Config, { name, path, graph }: Checked): void {
  const { phoneme_type: type = "espeak", phoneme_id_map: map, espeak, audio, inference } = config;
  if (type !== "espeak")
    throw new LocalFilesError(
      `${name} has the phonemes of "${type}". Loquat reads text for Piper's voices with eSpeak NG only, so this one would not be understood.`,
    );
  const lacking = Object.entries({
    phoneme_id_map: map,
    "espeak.voice": espeak?.voice,
    "audio.sample_rate": audio?.sample_rate,
    inference,
  }).find(([, value]) => value === undefined)?.[0];
  if (lacking)
    throw new LocalFilesError(`${name} lacks ${lacking}: it is no configuration of a Piper voice.`);
  const [fault] = phonemeFaults(config, { name: path, rows: phonemeRows(graph.weights) });
  if (fault) throw new LocalFilesError(`${name}: ${fault}.`);
  const several = (config.num_speakers ?? 1) > 1;
  if (several !== namesOf(graph.inputs).includes("sid"))
    throw new LocalFilesError(
      `${name} belongs to another model: it says ${config.num_speakers ?? 1} speakers, and ${path} takes ${several ? "none" : "several"}.`,
    );
}

function voicesOf(config: Config, stem: string): LocalVoice[] {
  const named = /^([a-z]{2,3})_([A-Z]{2})-(.+?)(-(x_low|low|medium|high))?$/.exec(stem);
  const code = config.language?.code ?? (named ? `${named[1]}_${named[2]}` : config.espeak?.voice);
  const locale = localeOf(code ?? "");
  const name = config.dataset || named?.[3] || stem;
  const voice = { locale, gender: "neutral" } as const;
  if ((config.num_speakers ?? 1) === 1) return [{ ...voice, id: idOf(name), name, speaker: idOf(name) }];
  return Object.keys(config.speaker_id_map ?? {}).map((speaker) => ({
    ...voice,
    id: idOf(`${name}-${speaker}`),
    name: `${name} ${speaker}`,
    speaker,
  }));
}

/** "en_US", "en-us" and "en" as tags; null where it is no language. */
function localeOf(code: string): string | null {
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Za-z]{2}))?$/.exec(code) ?? [];
  if (!language) return null;
  return region ? `${language}-${region.toUpperCase()}` : language;
}
