/** What files of an operator turned out to be: a model of a family, and what they do not say about it. */
import type { Family } from "../../engine/families/families.ts";
import type { Package } from "../packages/package.ts";

/** A file to install: a copy of one, or one that is made of others. */
export type LocalFile = { role: string; path: string } & ({ from: string } | { bytes: Uint8Array });

/** A voice as the files know it; `locale` null: they do not say what it speaks. */
export type LocalVoice = {
  id: string;
  name: string;
  speaker: string;
  locale: string | null;
  gender: "female" | "male" | "neutral";
};

export type LocalModel = {
  family: Family;
  /** Such as "a Piper voice". */
  kind: string;
  /** After the files, for the name of the package. */
  stem: string;
  files: LocalFile[];
  voices: LocalVoice[];
  recognition: NonNullable<Package["recognition"]>;
  /** What its user should know of it. */
  remarks: string[];
};

/** The files beside a graph that hold its weights, under the names that it calls them by. */
export const dataFilesOf = (
  role: string,
  { path, from }: { path: string; from: string },
  names: string[],
): LocalFile[] =>
  names.map((name, index) => ({
    role: index === 0 ? `${role}-data` : `${role}-data-${index}`,
    path: [...path.split("/").slice(0, -1), name].join("/"),
    from: [...from.split("/").slice(0, -1), name].join("/"),
  }));

/** As package names and voice ids are written. */
export const idOf = (text: string): string =>
  text
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .split("-")
    .filter((part) => part !== "")
    .join("-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 80) || "model";

const PRECISIONS = ["", "quantized", "int8", "uint8", "q8", "q8f16", "fp16", "q4", "q4f16", "bnb4"];

/** A file's name without its precision, and how far down the list that is: the exact one first. */
export function precisionOf(path: string): { stem: string; rank: number } {
  const stem = path.replace(/\.onnx$/, "");
  const found = /^(.*?)[._-](quantized|u?int8|q8f16|q8|fp16|f16|q4f16|q4|bnb4)$/.exec(stem);
  return found ? { stem: found[1]!, rank: Math.max(1, PRECISIONS.indexOf(found[2]!)) } : { stem, rank: 0 };
}
