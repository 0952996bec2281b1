/**
 * A definition of an upstream: where its servers are, which preset describes them, and which of its models and voices this
 * server offers under which names. It is a row of the database, or a file in `models/upstreams/`.
 *
 * A credential is only named: by a variable of the environment, or by a file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Type, { type Static } from "typebox";
import { type Detail, invalidInput } from "../errors.ts";
import { ManifestError } from "../models/manifest.ts";
import { Id, SpokenLanguage, Text } from "../models/packages/package.ts";
import { checker } from "../schema.ts";
import { type Preset, presetSchema, withFlags } from "./dialects/preset.ts";
import { isUpstreamUrl } from "./transport/resolve-names.ts";

const closed = { additionalProperties: false };
const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9-]*$", maxLength: 64 });
const ServerName = Type.String({ minLength: 1, maxLength: 256 });
const Micros = Type.Integer({ minimum: 0 });
const Price = Type.Optional(Micros);

const UpstreamVoice = Type.Object(
  {
    id: Id,
    /** The server's own name of it. */
    speaker: ServerName,
    name: Text,
    languages: Type.Array(SpokenLanguage, { minItems: 1 }),
    locale: Type.Optional(Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]+)*$" })),
    gender: Type.Optional(Type.Enum(["female", "male", "neutral"])),
    /** The fallback's own name of it; absent: the same as the server's. */
    fallback_speaker: Type.Optional(ServerName),
  },
  closed,
);

const common = {
  /** The id that clients use; one of the catalogue is offered by both then, by the upstream first. */
  model: Id,
  /** The server's own name of it. */
  upstream_model: ServerName,
  price_micros: Price,
  /** A local engine that gets the tasks that no server could run. */
  fallback: Type.Optional(Id),
};

const SpeechModel = Type.Object(
  {
    type: Type.Enum(["tts"]),
    ...common,
    voices: Type.Array(UpstreamVoice, { minItems: 1, maxItems: 1000 }),
  },
  closed,
);

const TranscriptionModel = Type.Object(
  {
    type: Type.Enum(["stt"]),
    ...common,
    languages: Type.Array(SpokenLanguage, { minItems: 1, maxItems: 200 }),
    translates: Type.Optional(Type.Boolean()),
    /** Whether the server listens to live speech with it; absent: live speech is sent as files. */
    realtime: Type.Optional(Type.Boolean()),
  },
  closed,
);

const LanguageModelEntry = Type.Object(
  {
    type: Type.Enum(["llm"]),
    /** The id that conversations name. */
    model: Id,
    upstream_model: ServerName,
    /** Tokens that it reads; absent: what the server tells. */
    context: Type.Optional(Type.Integer({ minimum: 256, maximum: 100_000_000 })),
    /** Whether it sees images. */
    vision: Type.Optional(Type.Boolean()),
    /** Whether it may think before it answers, which takes time; absent: not, where that can be. */
    thinking: Type.Optional(Type.Boolean()),
    /** Of a million tokens. */
    price_input_micros: Price,
    price_output_micros: Price,
    /** Sent with every request as it is. */
    extra: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown())),
  },
  closed,
);

const Credential = Type.Union([
  Type.Object({ env: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }) }, closed),
  Type.Object({ file: Text }, closed),
  Type.Null(),
]);

const definitionSchema = checker(
  Type.Object(
    {
      name: Name,
      preset: Name,
      urls: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 32 }),
      credential: Credential,
      /** Single flags of the preset, in its own shape. */
      flags: Type.Record(Type.String(), Type.Unknown()),
      /** The day from which it is offered. */
      added: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
      /** Where it is offered what its server lists: what the list does not say. Absent: the models below are all. */
      follow: Type.Optional(
        Type.Object(
          {
            languages: Type.Array(SpokenLanguage, { maxItems: 200 }),
            voices: Type.Array(ServerName, { maxItems: 1000 }),
            fallback: Type.Union([Id, Type.Null()]),
            price_micros: Type.Union([Micros, Type.Null()]),
            /** Of a million tokens of language models. */
            token_micros: Type.Optional(Type.Object({ input: Micros, output: Micros }, closed)),
          },
          closed,
        ),
      ),
      models: Type.Array(Type.Union([SpeechModel, TranscriptionModel, LanguageModelEntry]), {
        minItems: 1,
        maxItems: 200,
      }),
    },
    closed,
  ),
);

export type Definition = Static<typeof definitionSchema.schema>;
export type AnyModel = Definition["models"][number];
export type LanguageModelEntry = AnyModel & { type: "llm" };
/** One that speaks or listens: it is in the catalogue, and an engine runs its tasks. */
export type UpstreamModel = Exclude<AnyModel, { type: "llm" }>;
export type UpstreamVoice = Static<typeof UpstreamVoice>;
export type CredentialReference = Definition["credential"];

/** A definition with the preset that it names, flags included. */
export type UsableDefinition = { definition: Definition; preset: Preset };

/** The engine of one model of an upstream; no package can have such a name. */
export const engineName = ({ name }: Pick<Definition, "name">, { model }: Pick<UpstreamModel, "model">) =>
  `${name}/${model}`;

/** Those of a definition that are engines of the catalogue. */
export const engineModels = ({ models }: Pick<Definition, "models">): UpstreamModel[] =>
  models.filter((entry) => entry.type !== "llm");

export const languageModels = ({ models }: Pick<Definition, "models">): LanguageModelEntry[] =>
  models.filter((entry) => entry.type === "llm");

export type Presets = ReadonlyMap<string, unknown>;

/** The presets of a catalogue's folder, by name, not checked yet. */
export function readPresets(folder: string): Presets {
  const below = join(folder, "upstreams", "presets");
  return new Map(filesIn(below).map((file) => [file.slice(0, -".json".length), parse(join(below, file))]));
}

/** Throws a refusal that names what is wrong with a definition. */
export function checkDefinition(value: unknown, presets: Presets): UsableDefinition {
  const { value: definition, details } = definitionSchema.check(value);
  if (details !== null) throw invalidInput(details);
  const preset = presetWith(presets, definition.preset, definition.flags);
  const faults = faultsOf(definition, preset);
  if (faults.length > 0) throw invalidInput(faults);
  return { definition, preset };
}

/** A preset with single flags changed. Throws a refusal that names what is wrong. */
export function presetWith(presets: Presets, name: string, flags: unknown): Preset {
  const known = presets.get(name);
  if (known === undefined)
    throw invalidInput([fault("preset", `must be one of ${[...presets.keys()].join(", ")}`)]);
  const { value, details } = presetSchema.check(withFlags(known, flags));
  if (details === null) return value;
  throw invalidInput(details.map((detail) => ({ ...detail, field: `flags.${detail.field}` })));
}

const fault = (field: string, message: string): Detail => ({ field, code: "malformed", message });

const URL_RULE = "must be a URL of http or https, without a password, a query or a fragment";

/** One for each URL of an upstream that is none. */
export const urlFaults = (urls: readonly string[]): Detail[] =>
  urls.flatMap((url, index) => (isUpstreamUrl(url) ? [] : [fault(`urls.${index}`, URL_RULE)]));

function faultsOf(
  { urls, models }: Definition,
  { speech, transcription, realtime, chat, title }: Preset,
): Detail[] {
  const faults = urlFaults(urls);
  const ids = new Set<string>();
  for (const [index, entry] of models.entries()) {
    const { model, type } = entry;
    if (ids.has(model)) faults.push(fault(`models.${index}.model`, `repeats ${model}`));
    ids.add(model);
    if ({ tts: speech, stt: transcription, llm: chat ?? null }[type] === null)
      faults.push(fault(`models.${index}.type`, `is ${type}, which ${title} does not do`));
    if (entry.type === "stt" && entry.translates && transcription?.translation_path === null)
      faults.push(fault(`models.${index}.translates`, `is true, but ${title} does not translate`));
    if (entry.type === "stt" && entry.realtime && realtime === undefined)
      faults.push(fault(`models.${index}.realtime`, `is true, but ${title} does not listen to live speech`));
    const voices = entry.type === "tts" ? entry.voices.map(({ id }) => id) : [];
    const repeated = voices.find((id, at) => voices.indexOf(id) !== at);
    if (repeated) faults.push(fault(`models.${index}.voices`, `name ${repeated} twice`));
  }
  return faults;
}

/** The definitions of a catalogue's folder. Throws a `ManifestError` that names the file and the field. */
export function readDefinitions(folder: string, presets: Presets): UsableDefinition[] {
  const below = join(folder, "upstreams");
  return filesIn(below).map((file) => {
    try {
      return checkDefinition(parse(join(below, file)), presets);
    } catch (error) {
      if (error instanceof ManifestError) throw error;
      throw new ManifestError(`upstreams/${file}: ${(error as Error).message}`);
    }
  });
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .sort()
    : [];

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ManifestError(`${path}: is not JSON: ${(cause as Error).message}`);
  }
}
