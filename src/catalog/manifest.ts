/**
 * A manifest: one version of one model, as the operator writes it in `models/*.json`.
 *
 * Data, not code: a new model or voice of a family whose engine exists needs only a file. Every mistake is refused
 * at start with the file and the field.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import Type, { type Static } from "typebox";
import { checker } from "../schema.ts";

const AUDIO_FORMATS = ["wav", "mp3", "flac", "pcm", "opus"] as const;
const TTS_FAMILIES = ["flite", "espeak"] as const;
const STT_FAMILIES = ["sphinx"] as const;

/** An engine family: what a worker implements and a manifest configures. */
export type Family = (typeof TTS_FAMILIES)[number] | (typeof STT_FAMILIES)[number];

const closed = { additionalProperties: false };
const Name = Type.String({ minLength: 1 });
const Id = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$" });
const Language = Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]+)*$" });
const Formats = Type.Array(Type.Enum([...AUDIO_FORMATS]));

const Voice = Type.Object(
  {
    id: Id,
    name: Name,
    language: Type.String({ pattern: "^[a-z]{2,3}$" }),
    locale: Language,
    gender: Type.Enum(["female", "male", "neutral"]),
    engine: Type.Enum([...TTS_FAMILIES]),
    speaker: Name,
    aliases: Type.Array(Name),
    metadata: Type.Object({
      style: Type.Union([Type.String(), Type.Null()]),
      age: Type.Union([Type.String(), Type.Null()]),
      description: Type.Union([Type.String(), Type.Null()]),
      use_cases: Type.Array(Type.String()),
    }),
  },
  closed,
);

const common = {
  model: Id,
  version: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
  rank: Type.Integer(),
  name: Name,
  description: Type.String(),
  owned_by: Name,
  created: Type.Integer({ minimum: 0 }),
  status: Type.Enum(["available", "deprecated", "retired"]),
  shutdown_date: Type.Union([Type.Null(), Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })]),
  aliases: Type.Array(Name),
  /** Of a million characters spoken, or seconds heard. */
  price_micros: Type.Integer({ minimum: 0 }),
};

const Speech = Type.Object(
  {
    response_formats: Formats,
    streamable_formats: Formats,
    speed: Type.Object({ min: Type.Number({ minimum: 0.25 }), max: Type.Number({ maximum: 4 }) }, closed),
    instructions: Type.Boolean(),
    length_first: Type.Boolean(),
  },
  closed,
);

const Hearing = Type.Object(
  {
    engine: Type.Enum([...STT_FAMILIES]),
    capabilities: Type.Array(Type.Enum(["batch", "streaming", "realtime"]), { minItems: 1 }),
    languages: Type.Array(Language, { minItems: 1 }),
    diarization: Type.Boolean(),
  },
  closed,
);

const speechManifest = checker(
  Type.Object({ ...common, type: Type.Enum(["tts"]), speech: Speech, voices: Type.Array(Voice) }, closed),
);
const hearingManifest = checker(
  Type.Object({ ...common, type: Type.Enum(["stt"]), hearing: Hearing }, closed),
);

export type Voice = Static<typeof Voice>;
export type SpeechManifest = Static<typeof speechManifest.schema>;
export type HearingManifest = Static<typeof hearingManifest.schema>;
export type Manifest = SpeechManifest | HearingManifest;

/** A catalogue that cannot be used; the message names the file and the field. */
export class ManifestError extends Error {}

/** Every manifest of a folder, in the order of their file names. */
export function readManifests(folder: string): Manifest[] {
  const files = filesOf(folder);
  const manifests = files.map((name) => readManifest(join(folder, name)));
  checkTogether(files, manifests);
  return manifests;
}

function filesOf(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  if (names.length > 0) return names.sort();
  throw new ManifestError(`LOQUAT_MODELS: ${folder} holds no model manifest (*.json).`);
}

function readManifest(path: string): Manifest {
  const file = basename(path);
  const value = parse(file, readFileSync(path, "utf8"));
  const kind = (value as { type?: unknown } | null)?.type;
  if (kind !== "tts" && kind !== "stt") throw new ManifestError(`${file}: type must be "tts" or "stt".`);
  const checked = (kind === "tts" ? speechManifest : hearingManifest).check(value);
  if (checked.details !== null) {
    const faults = checked.details.map(
      (detail) => `${file}: ${detail.field || "the file"} ${detail.message}`,
    );
    throw new ManifestError(faults.join("\n"));
  }
  const manifest = checked.value as Manifest;
  if (manifest.type === "tts") checkSpeech(file, manifest);
  return manifest;
}

function parse(file: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ManifestError(`${file}: is not JSON: ${(cause as Error).message}`);
  }
}

/** What a schema cannot say. */
function checkSpeech(file: string, { speech, voices }: SpeechManifest): void {
  const strange = speech.streamable_formats.find((format) => !speech.response_formats.includes(format));
  if (strange) {
    throw new ManifestError(
      `${file}: speech.streamable_formats names ${strange}, which response_formats lacks`,
    );
  }
  if (speech.speed.min > speech.speed.max) throw new ManifestError(`${file}: speech.speed.min is above max`);
  const seen = new Set<string>();
  for (const [index, voice] of voices.entries()) {
    if (seen.has(voice.id)) throw new ManifestError(`${file}: voices.${index}.id repeats "${voice.id}"`);
    seen.add(voice.id);
  }
}

/** What one file cannot know: each version once, one kind of model under one id, and a name that means one model. */
function checkTogether(files: string[], manifests: Manifest[]): void {
  const versions = new Map<string, string>();
  const kinds = new Map<string, string>();
  const names = new Map(manifests.map(({ model }) => [model, model]));
  for (const [at, { model, version, type, aliases }] of manifests.entries()) {
    const refuse = (fault: string) => new ManifestError(`${files[at]}: ${fault}`);
    const twin = versions.get(`${model} ${version}`);
    if (twin) throw refuse(`version repeats ${model} ${version}, which ${twin} holds`);
    versions.set(`${model} ${version}`, files[at]!);
    if ((kinds.get(model) ?? type) !== type) throw refuse(`type is ${type}, but ${model} is not`);
    kinds.set(model, type);
    for (const [index, alias] of aliases.entries()) {
      if ((names.get(alias) ?? model) !== model)
        throw refuse(`aliases.${index} "${alias}" already means ${names.get(alias)}`);
      names.set(alias, model);
    }
  }
}
