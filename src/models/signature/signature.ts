/**
 * What is published of a family's files: ports, metadata, settings and sizes, in `models/signatures/FAMILY.json`. Each
 * family is described once; `packages` holds what differs, and where it is published.
 *
 *   "float32 [batch, mels, ?]"     a number is fixed; a name in `sizes` stands for one that packages may set;
 *                                  another name is open: the graph takes any; "?" is not published
 *   "{layer}"  one port for each of `layers`; "{3*layer+1}" counts three to a layer
 *   "name?"    not in every export      "name*"  exports name it as they like      "ids|tokens"  one name or the other
 *   "float32 [1, samples] or [samples]"     one shape or the other
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Type, { type Static } from "typebox";
import { FAMILY_NAMES, type Family } from "../../engine/families/families.ts";
import { checker } from "../../schema.ts";

const closed = { additionalProperties: false };
const Ports = Type.Record(
  Type.String(),
  Type.String({
    pattern: "^(float32|int64|int32|bool)( \\[([\\w?]+(, [\\w?]+)*)?\\]( or(?= \\[))?)+$",
  }),
);
/** A size by its name, a text or a number that is the same everywhere; null: any. */
const Expected = Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer(), Type.Null()]));
const Sizes = Type.Record(Type.String(), Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]));
const Address = Type.String({ pattern: "^https://" });

const schema = checker(
  Type.Object(
    {
      family: Type.Enum(FAMILY_NAMES),
      sources: Type.Array(Address, { minItems: 1 }),
      /** Sizes of every package; null: each has its own. */
      sizes: Sizes,
      /** By role of the file. */
      graphs: Type.Record(
        Type.String(),
        Type.Object({ inputs: Ports, outputs: Ports, metadata: Type.Optional(Expected) }, closed),
      ),
      /** Numbered entries of a text file, by role. */
      lines: Type.Optional(Expected),
      /** Values of a JSON file, by role and by path with dots. */
      settings: Type.Optional(Type.Record(Type.String(), Expected)),
      /** Bytes of each file whose role begins so. */
      bytes: Type.Optional(Expected),
      packages: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Object(
            {
              source: Address,
              sizes: Type.Optional(Sizes),
              /** Inputs and metadata of the family that this package lacks. */
              absent: Type.Optional(Type.Array(Type.String())),
              /** Roles whose graph is published under another name in `graphs`. */
              roles: Type.Optional(Type.Record(Type.String(), Type.String())),
            },
            closed,
          ),
        ),
      ),
    },
    closed,
  ),
);

export type FamilySignature = Static<typeof schema.schema>;

/** A number is fixed, a string is open under that name, null is not published. */
type Shape = (number | string | null)[];

export type PublishedPort = {
  name: string;
  /** What other exports call it. */
  others: string[];
  type: "float32" | "int64" | "int32" | "bool";
  shape: Shape;
  /** With other numbers of dimensions, as other exports have it. */
  otherShapes: Shape[];
  /** Not in every export. */
  optional: boolean;
  /** Exports name it as they like: it is known by its place. */
  unnamed: boolean;
};

/** A text or number as it is written in the file; null: any. */
type Values = Record<string, string | number | null>;
export type PublishedGraph = { inputs: PublishedPort[]; outputs: PublishedPort[]; metadata: Values };

/** What is published of one package's files. */
export type Signature = {
  source: string | null;
  /** Null: it has no graph of this role. */
  graph(role: string): PublishedGraph | null;
  lines: Values;
  settings: Record<string, Values>;
  bytes: Values;
};

/** Null where nothing is published of the family. `folder` is that of the model manifests. */
export function readFamilySignature(folder: string, family: Family): FamilySignature | null {
  const path = join(folder, "signatures", `${family}.json`);
  if (!existsSync(path)) return null;
  const { value, details } = schema.check(JSON.parse(readFileSync(path, "utf8")));
  if (details !== null)
    throw new Error(`${path}: ${details.map(({ field, message }) => `${field} ${message}`).join("; ")}`);
  return value;
}

/** The signature of an unpublished package: `sizes` are all that is known of it. */
export function unpublishedSignature(
  { packages: _, bytes: __, lines: ___, ...family }: FamilySignature,
  sizes: Record<string, number | null>,
): Signature {
  const open = Object.fromEntries(Object.keys(family.sizes).map((size) => [size, null]));
  return signatureOf(family, "", { ...open, ...sizes });
}

/** `sizes` are set in place of the published ones. A package that is not listed has those of its family. */
export function signatureOf(
  family: FamilySignature,
  name: string,
  sizes: Record<string, number | null> = {},
): Signature {
  const exceptions = family.packages?.[name];
  const all = { ...family.sizes, ...exceptions?.sizes, ...sizes };
  const absent = exceptions?.absent ?? [];
  const values = (expected: Values = {}): Values =>
    Object.fromEntries(
      Object.entries(expected)
        .filter(([key]) => !absent.includes(key))
        .map(([key, value]) => [key, typeof value === "string" && value in all ? all[value]! : value]),
    );
  const ports = (declared: Static<typeof Ports>): PublishedPort[] =>
    eachLayer(
      Object.entries(declared).filter(([port]) => !absent.includes(port)),
      all.layers ?? 0,
    ).map(([port, text]) => portOf(port, text, all));
  return {
    source: exceptions?.source ?? null,
    graph(role) {
      const graph = family.graphs[exceptions?.roles?.[role] ?? role];
      if (!graph) return null;
      const { inputs, outputs, metadata } = graph;
      return { inputs: ports(inputs), outputs: ports(outputs), metadata: values(metadata) };
    },
    lines: values(family.lines),
    settings: Object.fromEntries(
      Object.entries(family.settings ?? {}).map(([role, expected]) => [role, values(expected)]),
    ),
    bytes: values(family.bytes),
  };
}

const LAYER = /\{(?:(\d)\*)?layer(?:\+(\d))?\}/;

/** Neighbours that name the layer stand layer by layer, as exports list them. */
function eachLayer(declared: [port: string, text: string][], layers: number): [port: string, text: string][] {
  const isLayered = (at: number) => LAYER.test(declared[at]?.[0] ?? "");
  return declared.flatMap((entry, at) => {
    if (!isLayered(at)) return [entry];
    if (isLayered(at - 1)) return []; // stands with the one before
    const end = declared.findIndex((_, later) => later > at && !isLayered(later));
    const run = declared.slice(at, end < 0 ? declared.length : end);
    return Array.from({ length: layers }, (_, layer) =>
      run.map(([port, text]): [string, string] => [ofLayer(port, layer), text]),
    ).flat();
  });
}

/** Of the names of ports, those that each layer has: what stands around its number, and how many a layer has. */
export const layeredNames = (names: string[]): { before: string; after: string; times: number }[] =>
  names.flatMap((name) => {
    const layer = LAYER.exec(name);
    if (!layer) return [];
    const [before, after] = name.replace(/[?*]$/, "").split(layer[0]) as [string, string];
    return [{ before, after, times: Number(layer[1] ?? 1) }];
  });

const ofLayer = (port: string, layer: number): string =>
  port.replace(LAYER, (_, times = "1", more = "0") => String(Number(times) * layer + Number(more)));

function portOf(name: string, text: string, sizes: FamilySignature["sizes"]): PublishedPort {
  const [type = "", ...shapes] = text.split(/(?: or)? \[/);
  const [shape = [], ...otherShapes] = shapes.map((each) => shapeOf(each.slice(0, -1), sizes));
  const [first = "", ...others] = name.replace(/[?*]$/, "").split("|");
  return {
    name: first,
    others,
    type: type as PublishedPort["type"],
    shape,
    otherShapes,
    optional: name.endsWith("?"),
    unnamed: name.endsWith("*"),
  };
}

const shapeOf = (text: string, sizes: FamilySignature["sizes"]): Shape =>
  text === "" ? [] : text.split(", ").map((size) => dimensionOf(size, sizes));

function dimensionOf(size: string, sizes: FamilySignature["sizes"]): number | string | null {
  if (size === "?") return null;
  if (/^\d+$/.test(size)) return Number(size);
  return size in sizes ? sizes[size]! : size;
}
