/**
 * A manifest: one version of one model, as the operator writes it in `models/*.json`.
 *
 * Manifests are data: a new model or voice of an existing family needs only a file. Every mistake is reported at start
 * with the file and the field.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import Type, { type Static } from "typebox";
import { AUDIO_FORMATS } from "../audio/formats.ts";
import {
  EMBEDDED_FAMILIES,
  FAMILY_NAMES,
  type Family,
  type FamilyTask,
  familyOf,
} from "../engine/families/families.ts";
import { OperatorError } from "../errors.ts";
import { isBuiltIn } from "../resources.ts";
import { checker } from "../schema.ts";
import {
  closed,
  Id,
  readPackages,
  recognitionFields,
  SpokenLanguage,
  Text,
  USES,
  voiceFields,
} from "./packages/package.ts";

/** What engines are asked for; 1 is the voice's natural pace. */
export const SPEED = { min: 0.25, max: 4 };

export const isEmbedded = (engine: string): boolean => Object.hasOwn(EMBEDDED_FAMILIES, engine);

const Formats = Type.Array(Type.Enum([...AUDIO_FORMATS]));

const Voice = Type.Object(
  {
    ...voiceFields,
    /** An embedded engine, or the name of a package. */
    engine: Id,
    /** All that it speaks, where its own language is not the only one. */
    languages: Type.Optional(Type.Array(SpokenLanguage, { minItems: 1 })),
    /** Whether its engine also encodes recorded voices and speaks with them. */
    cloning: Type.Optional(Type.Boolean()),
    /** Whether its engine also speaks with several of its voices mixed. */
    blending: Type.Optional(Type.Boolean()),
  },
  closed,
);

/**
 * Every installed package of these families adds what it offers, after what the manifest names; "all": of every family that
 * speaks, or that recognizes.
 */
const Families = Type.Optional(Type.Union([Type.Enum(["all"]), Type.Array(Type.Enum(FAMILY_NAMES))]));

const common = {
  model: Id,
  version: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
  rank: Type.Integer(),
  name: Text,
  description: Type.String(),
  owned_by: Text,
  created: Type.Integer({ minimum: 0 }),
  status: Type.Enum(["available", "deprecated", "retired"]),
  shutdown_date: Type.Union([Type.Null(), Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })]),
  aliases: Type.Array(Text),
  /** For a million characters of speech, or a million seconds of audio. */
  price_micros: Type.Integer({ minimum: 0 }),
  /** The price of what is done in the background. */
  background_price_micros: Type.Optional(Type.Integer({ minimum: 0 })),
};

const Speech = Type.Object(
  {
    response_formats: Formats,
    streamable_formats: Formats,
    speed: Type.Object(
      { min: Type.Number({ minimum: SPEED.min }), max: Type.Number({ maximum: SPEED.max }) },
      closed,
    ),
    instructions: Type.Boolean(),
    length_first: Type.Boolean(),
  },
  closed,
);

const RecognitionEngine = Type.Object(
  {
    engine: Id,
    ...recognitionFields,
    /** Whether it uses a prompt. */
    hints: Type.Optional(Type.Boolean()),
    /** Whether it detects the language among several that are named. */
    among: Type.Optional(Type.Boolean()),
    /** Whether it prefers given words. */
    keywords: Type.Optional(Type.Boolean()),
    /** Whether it cannot detect the language. */
    language_required: Type.Optional(Type.Boolean()),
    /** Whether the times of its words are estimates. */
    estimated_times: Type.Optional(Type.Boolean()),
  },
  closed,
);

const Recognition = Type.Object(
  {
    /** The first engine that supports a use and a language is chosen. */
    engines: Type.Array(RecognitionEngine),
    families: Families,
    diarization: Type.Boolean(),
  },
  closed,
);

const speechManifest = checker(
  Type.Object(
    {
      ...common,
      type: Type.Enum(["tts"]),
      speech: Speech,
      voices: Type.Array(Voice),
      families: Families,
    },
    closed,
  ),
);
const recognitionManifest = checker(
  Type.Object(
    {
      ...common,
      type: Type.Enum(["stt"]),
      recognition: Recognition,
    },
    closed,
  ),
);

export type Voice = Static<typeof Voice>;
export type TtsManifest = Static<typeof speechManifest.schema>;
export type SttManifest = Static<typeof recognitionManifest.schema>;
export type Manifest = TtsManifest | SttManifest;
export type Use = (typeof USES)[number];

/** What the engines of a manifest can be used for. */
export const usesOf = ({ recognition }: SttManifest): Use[] =>
  USES.filter((use) => recognition.engines.some(({ uses }) => uses.includes(use)));

/** Of a million seconds or characters in the background, by a job. */
export const backgroundPriceOf = (manifest: Manifest): number =>
  manifest.background_price_micros ?? manifest.price_micros;

/** All languages that a voice speaks, its own first. */
export const languagesSpoken = ({ language, languages = [] }: Voice): string[] => [
  ...new Set([language, ...languages]),
];

/** All languages that the engines support. */
export const languagesOf = ({ recognition }: SttManifest): string[] => [
  ...new Set(recognition.engines.flatMap(({ languages }) => languages)),
];

const TASKS: Record<Manifest["type"], FamilyTask[]> = {
  tts: ["synthesis"],
  stt: ["recognition", "streaming-recognition"],
};

/** The families whose packages add what they offer. */
export function familiesOf(manifest: Manifest): Family[] {
  const { families = [] } = manifest.type === "tts" ? manifest : manifest.recognition;
  if (families !== "all") return families;
  return FAMILY_NAMES.filter((family) => TASKS[manifest.type].includes(familyOf(family).task));
}

/** A catalogue that cannot be used; the message names the file and the field. */
export class ManifestError extends OperatorError {}

/** Every manifest of a folder, in the order of their file names; `packages` are those it may name. */
export function readManifests(
  folder: string,
  packages: Iterable<string> = readPackages(folder).keys(),
): Manifest[] {
  const files = filesOf(folder);
  const manifests = files.map((name) => readManifest(join(folder, name)));
  const engines = new Set([...Object.keys(EMBEDDED_FAMILIES), ...packages]);
  for (const [index, manifest] of manifests.entries()) checkEngines(files[index]!, manifest, engines);
  checkTogether(files, manifests);
  return manifests;
}

function checkEngines(file: string, manifest: Manifest, engines: ReadonlySet<string>): void {
  const [field, named] =
    manifest.type === "tts"
      ? ["voices", manifest.voices]
      : ["recognition.engines", manifest.recognition.engines];
  for (const [index, { engine }] of named.entries())
    if (!engines.has(engine))
      throw new ManifestError(
        `${file}: ${field}.${index}.engine "${engine}" is no engine and no package here`,
      );
}

function filesOf(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  if (names.length > 0) return names.sort();
  throw new ManifestError(`LOQUAT_MODELS: ${folder} holds no model manifest (*.json).`);
}

function readManifest(path: string): Manifest {
  const file = basename(path);
  const json = readFileSync(path, "utf8");
  if (isBuiltIn(path)) return JSON.parse(json) as Manifest;
  const value = withRecognition(parse(file, json));
  const kind = (value as { type?: unknown } | null)?.type;
  if (kind !== "tts" && kind !== "stt") throw new ManifestError(`${file}: type must be "tts" or "stt".`);
  const checked = (kind === "tts" ? speechManifest : recognitionManifest).check(value);
  if (checked.details !== null) {
    const faults = checked.details.map(
      (detail) => `${file}: ${detail.field || "the file"} ${detail.message}`,
    );
    throw new ManifestError(faults.join("\n"));
  }
  const manifest = checked.value as Manifest;
  if (manifest.type === "tts") checkSpeech(file, manifest);
  else if (manifest.recognition.engines.length + familiesOf(manifest).length === 0)
    throw new ManifestError(`${file}: recognition names no engine and no family`);
  return manifest;
}

/** Manifests of 0.1 and before call the field `hearing`; the next release reads it too, and the one after it does not. */
function withRecognition(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("hearing" in value)) return value;
  const { hearing: recognition, ...rest } = value;
  return { recognition, ...rest };
}

function parse(file: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ManifestError(`${file}: is not JSON: ${(cause as Error).message}`);
  }
}

/** Rules that a schema cannot express. */
function checkSpeech(file: string, { speech, voices }: TtsManifest): void {
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

/** Rules across files: each version once, one type of model for an id, and one model for a name. */
function checkTogether(files: string[], manifests: Manifest[]): void {
  const versions = new Map<string, string>();
  const kinds = new Map<string, string>();
  const names = new Map(manifests.map(({ model }) => [model, model]));
  for (const [index, { model, version, type, aliases }] of manifests.entries()) {
    const refuse = (fault: string) => new ManifestError(`${files[index]}: ${fault}`);
    const twin = versions.get(`${model} ${version}`);
    if (twin) throw refuse(`version repeats ${model} ${version}, which ${twin} holds`);
    versions.set(`${model} ${version}`, files[index]!);
    if ((kinds.get(model) ?? type) !== type) throw refuse(`type is ${type}, but ${model} is not`);
    kinds.set(model, type);
    for (const [index, alias] of aliases.entries()) {
      if ((names.get(alias) ?? model) !== model)
        throw refuse(`aliases.${index} "${alias}" already means ${names.get(alias)}`);
      names.set(alias, model);
    }
  }
}
