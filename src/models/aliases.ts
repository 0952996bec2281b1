/**
 * Aliases: names that clients use, and the models and voices of the catalogue that serve them. A release ships sets of
 * them as data, `models/aliases/*.json`; the operator's own are rows of the database and take precedence.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Type from "typebox";
import { AUDIO_FORMATS } from "../audio/formats.ts";
import { checker } from "../schema.ts";
import { ManifestError } from "./manifest.ts";

/** `session`: a model, in realtime transcription sessions only. */
export const ALIAS_KINDS = ["model", "session", "voice"] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

export const NAME_LENGTH_MAX = 256;
export const TARGETS_MAX = 10;

export type Alias = {
  kind: AliasKind;
  /** As `aliasName` gives it. "" is what clients send that leave the model empty. */
  name: string;
  /** Ids of models, or ids and speakers of voices; the first that can do what is asked. None: switched off. */
  targets: string[];
  /** The response format where a request names none; null: the server's default. */
  format: string | null;
  /** False: lists of models leave it out, and voices that are called so come first. */
  listed?: false;
};

/** `changed`: a shipped name that the operator set or switched off. */
type AliasSource = "shipped" | "changed" | "own";
export type ListedAlias = Alias & { source: AliasSource };

/** Case and the spaces around a name make no difference. */
export const aliasName = (name: string): string => name.trim().toLowerCase();

const Target = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
const Name = Type.String({ maxLength: NAME_LENGTH_MAX, pattern: "^([a-z0-9][a-z0-9._-]*)?$" });

const aliasSets = checker(
  Type.Array(
    Type.Object(
      {
        kind: Type.Enum([...ALIAS_KINDS]),
        names: Type.Array(Name, { minItems: 1 }),
        targets: Type.Array(Target, { minItems: 1, maxItems: TARGETS_MAX }),
        format: Type.Optional(Type.Enum([...AUDIO_FORMATS])),
        listed: Type.Optional(Type.Literal(false)),
      },
      { additionalProperties: false },
    ),
  ),
);

/** What `models/aliases/*.json` of a catalogue's folder holds; none if there is no such folder. */
export function readAliases(folder: string): Alias[] {
  const below = join(folder, "aliases");
  const files = existsSync(below) ? readdirSync(below).filter((name) => name.endsWith(".json")) : [];
  const aliases = new Map<string, Alias>();
  for (const file of files.sort())
    for (const alias of readSet(join(below, file))) {
      const key = keyOf(alias);
      if (aliases.has(key)) throw new ManifestError(`aliases/${file}: ${alias.name} is in it twice`);
      aliases.set(key, alias);
    }
  return [...aliases.values()];
}

function readSet(path: string): Alias[] {
  const { value, details } = aliasSets.check(parse(path));
  if (details !== null)
    throw new ManifestError(details.map(({ field, message }) => `${path}: ${field} ${message}`).join("\n"));
  return value.flatMap(({ kind, names, targets, format = null, listed }) =>
    names.map((name) => ({ kind, name, targets, format, ...(listed === false && { listed }) })),
  );
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ManifestError(`${path}: is not JSON: ${(cause as Error).message}`);
  }
}

/** The shipped aliases, with the operator's own in place of those of the same name; by kind and name. */
export function mergeAliases(shipped: readonly Alias[], stored: readonly Alias[]): ListedAlias[] {
  const all = new Map<string, ListedAlias>();
  for (const alias of shipped) all.set(keyOf(alias), { ...alias, source: "shipped" });
  for (const alias of stored) {
    const key = keyOf(alias);
    all.set(key, { ...alias, source: all.has(key) ? "changed" : "own" });
  }
  const order = (one: Alias, other: Alias) => (keyOf(one) < keyOf(other) ? -1 : 1);
  return [...all.values()].sort(order);
}

const keyOf = ({ kind, name }: Alias) => `${kind} ${name}`;
