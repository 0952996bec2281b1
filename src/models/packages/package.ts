/**
 * A package: the files of one model of an engine family, with their sources, sizes and hashes.
 *
 * `models/packages/*.json` describes the known ones. An installed package keeps a copy with every size and hash filled in,
 * so that later checks compare with what was installed.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import Type, { type Static } from "typebox";
import {
  abilitiesOf,
  FAMILY_NAMES,
  type Family,
  familyOf,
  type OptionsOf,
} from "../../engine/families/families.ts";
import { OperatorError } from "../../errors.ts";
import { isBuiltIn } from "../../resources.ts";
import { checker } from "../../schema.ts";
import { readSmallFile } from "./small-file.ts";

export const closed = { additionalProperties: false };
export const Text = Type.String({ minLength: 1 });
export const Id = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$" });
const Language = Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]+)*$" });

export const USES = ["batch", "streaming", "realtime"] as const;

export const SpokenLanguage = Type.String({ pattern: "^[a-z]{2,3}$" });

/** A voice, without the engine that speaks with it. */
export const voiceFields = {
  id: Id,
  name: Text,
  language: SpokenLanguage,
  locale: Language,
  gender: Type.Enum(["female", "male", "neutral"]),
  /** The engine's own name of the voice. */
  speaker: Text,
  aliases: Type.Array(Text),
  metadata: Type.Object({
    style: Type.Union([Type.String(), Type.Null()]),
    age: Type.Union([Type.String(), Type.Null()]),
    description: Type.Union([Type.String(), Type.Null()]),
    use_cases: Type.Array(Type.String()),
  }),
};

/** What an engine recognizes, and what for. */
export const recognitionFields = {
  uses: Type.Array(Type.Enum([...USES]), { minItems: 1 }),
  languages: Type.Array(Language, { minItems: 1 }),
  /** Whether it also translates these languages to English. */
  translates: Type.Optional(Type.Boolean()),
};

/** Within the limits of file systems, suffixes included. */
const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$", maxLength: 100 });
/** Inside the package's own folder, always. */
const Path = Type.String({
  pattern: "^(?!.*(^|/)\\.\\.?(/|$))[A-Za-z0-9_][A-Za-z0-9._/@+-]*$",
  maxLength: 200,
});
const Address = Type.String({ pattern: "^https?://" });
const orNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const PackageFile = Type.Object(
  {
    /** What the family knows it as: "encoder", "vocabulary" … */
    role: Text,
    path: Path,
    /** Null: known only once it was pulled. */
    bytes: orNull(Type.Integer({ minimum: 0 })),
    sha256: orNull(Type.String({ pattern: "^[0-9a-f]{64}$" })),
    /** A file of one precision only; absent: every installation has it. */
    variant: Type.Optional(Text),
    /** The only platform that it is for, as Node.js names it; absent: any. */
    platform: Type.Optional(Type.String({ pattern: "^(linux|darwin|win32)-(x64|arm64)$" })),
    /** The .tar.gz under the sources that holds it, and its name in there; then its own size and hash are known. */
    archive: Type.Optional(
      Type.Object(
        {
          path: Text,
          member: Text,
          bytes: Type.Integer({ minimum: 0 }),
          sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
        },
        closed,
      ),
    ),
    /** Of an installed file: the commit of its hub's repository that it came from, where the hub said it. */
    revision: Type.Optional(Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$" })),
    /** Where it is when not under the sources: an address, or several, tried in order. */
    url: Type.Optional(Type.Union([Address, Type.Array(Address, { minItems: 1 })])),
  },
  closed,
);

const measuredFields = {
  memoryMb: Type.Integer({ minimum: 1 }),
  /** Seconds of audio for each second of work. */
  speed: Type.Number({ exclusiveMinimum: 0 }),
};

/** One installation on two CPU cores, as `npm run bench -- real-size` measures and writes it. */
const Measurement = Type.Object(
  {
    /** Null where the package has one precision only. */
    variant: orNull(Text),
    ...measuredFields,
    /** Of eight callers at once; absent where they wait for each other. */
    eight: Type.Optional(Type.Object(measuredFields, closed)),
  },
  closed,
);

/** Languages that a recognizer takes for some uses; of all installed, the highest rank is chosen. */
const PackageRecognition = Type.Object({ ...recognitionFields, rank: Type.Integer() }, closed);

/**
 * For which machines `pull recommended` takes the package. Of the packages for one purpose, it takes the one of the
 * highest rank that fits. On a machine with a GPU, cores and memory do not count.
 */
const Recommendation = Type.Object(
  {
    purpose: Text,
    rank: Type.Integer(),
    cores: Type.Integer({ minimum: 1 }),
    memoryGb: Type.Number({ minimum: 0 }),
    gpu: Type.Boolean(),
  },
  closed,
);

const packageSchema = checker(
  Type.Object(
    {
      name: Name,
      version: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
      family: Type.Enum(FAMILY_NAMES),
      title: Text,
      license: Type.Object(
        { spdx: Text, url: Address, acceptance: Type.Boolean(), attribution: Text },
        closed,
      ),
      /** Tried in order; a file's path is appended. None: an operator had the files. */
      sources: Type.Array(Type.String({ pattern: "^https?://.*/$" })),
      /** By device, the one to take first. */
      variants: Type.Object({ cpu: Type.Array(Text), gpu: Type.Array(Text) }, closed),
      files: Type.Array(PackageFile, { minItems: 1 }),
      options: Type.Object({}, { additionalProperties: true }),
      /** What its makers or judges published, to compare with: `loquat models check` prints it. */
      published: Type.String(),
      /** What each of its voices speaks, as a request names it; absent: the language of the voice. */
      languages: Type.Optional(Type.Array(SpokenLanguage, { minItems: 1 })),
      /** Voices of its own, for the models that name its family. */
      voices: Type.Optional(Type.Array(Type.Object(voiceFields, closed))),
      /** How loud its voices are without a gain, in LUFS, by the engine's names: before what is measured. */
      loudness: Type.Optional(Type.Record(Text, Type.Number({ minimum: -70, maximum: 0 }))),
      /** What it recognizes, for the models that name its family. */
      recognition: Type.Optional(Type.Array(PackageRecognition)),
      recommended: Type.Optional(Recommendation),
      measured: Type.Optional(Type.Array(Measurement)),
    },
    closed,
  ),
);
const optionsOf = Object.fromEntries(
  FAMILY_NAMES.map((family) => [family, checker(familyOf(family).options)]),
);

export type PackageFile = Static<typeof PackageFile>;
export type Measurement = Static<typeof Measurement>;
export type Package<F extends Family = Family> = Omit<
  Static<typeof packageSchema.schema>,
  "family" | "options"
> & { family: F; options: OptionsOf<F> };

/** A package that cannot be used; the message names the file and the field. */
export class PackageError extends OperatorError {}

/** The packages a catalogue's folder knows, by name. */
export function readPackages(folder: string): Map<string, Package> {
  const below = join(folder, "packages");
  const names = existsSync(below) ? readdirSync(below).filter((name) => name.endsWith(".json")) : [];
  return new Map(
    names.sort().map((name) => {
      const read = readPackage(join(below, name));
      return [read.name, read];
    }),
  );
}

/** What files gave, by path and state: pages ask for all of them every few seconds. */
const known = new Map<string, { state: string; read: Package }>();
const KNOWN_MAX = 1000;

/** A file is read again only once it has changed. What it gives is shared: it must not be changed. */
export function readPackage(path: string): Package {
  const state = stateOf(path);
  const kept = known.get(path);
  if (kept?.state === state) return kept.read;
  const from = basename(path);
  const read = isBuiltIn(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Package)
    : parsePackage(from, manifestText(path, from));
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(path, { state, read });
  return read;
}

/** Another after every change of the file; that of a file that is not there is empty. */
function stateOf(path: string): string {
  if (isBuiltIn(path)) return "built in";
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "";
}

/** `from` stands in the messages. */
export function manifestText(path: string, from: string): string {
  try {
    return readSmallFile(path);
  } catch (cause) {
    throw new PackageError(`${from}: cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** `from` stands in the messages. An installed package may name variants that were not installed. */
export function parsePackage(from: string, json: string, isInstalled = false): Package {
  const refuse = (fault: string) => new PackageError(`${from}: ${fault}`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw refuse(`is not JSON: ${(cause as Error).message}`);
  }
  const { value: read, details } = packageSchema.check(value);
  if (details !== null)
    throw refuse(details.map(({ field, message }) => `${field || "the file"} ${message}`).join("; "));
  const options = optionsOf[read.family]!.check(read.options);
  if (options.details !== null)
    throw refuse(options.details.map(({ field, message }) => `options.${field} ${message}`).join("; "));
  const paths = read.files.map(({ path }) => path);
  const twice = read.files.find(({ path, platform }, index) =>
    read.files.some(
      (other, before) =>
        before < index &&
        other.path === path &&
        (platform === undefined || other.platform === undefined || other.platform === platform),
    ),
  )?.path;
  if (twice) throw refuse(`files name ${twice} twice`);
  const above = paths.find((path) => paths.some((other) => other.startsWith(`${path}/`)));
  if (above) throw refuse(`files name ${above}, which is the folder of another`);
  const open = read.files.find(
    ({ archive, bytes, sha256 }) => archive && (bytes === null || sha256 === null),
  );
  if (open) throw refuse(`files name ${open.path} in an archive, without its size or hash`);
  const strange = [...read.variants.cpu, ...read.variants.gpu].find(
    (variant) => !read.files.some((file) => file.variant === variant),
  );
  if (strange && !isInstalled) throw refuse(`variants name ${strange}, of which there is no file`);
  return read as Package;
}

/** Those of its family; some exports cannot tell when words are spoken. */
export const abilitiesOfPackage = ({ family, options }: Pick<Package, "family" | "options">) =>
  "estimated_times" in options && options.estimated_times === true
    ? abilitiesOf(family).filter((ability) => ability !== "word_times")
    : abilitiesOf(family);

const PLATFORM = `${process.platform}-${process.arch}`;

/** The files of one installation: those of its variant and platform, and those that every one has. */
export function filesOf(
  { files }: Pick<Package, "files">,
  variant: string | null,
  platform = PLATFORM,
): PackageFile[] {
  return files.filter(
    (file) =>
      (file.variant === undefined || file.variant === variant) &&
      (file.platform === undefined || file.platform === platform),
  );
}
