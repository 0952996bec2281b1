/**
 * What is measured of an installed package, the bounds that it must keep, and the table of both.
 *
 *   measured: kind, value  ──bound of its kind──>  row: ok · fails · measured (no bound) · not measured (why)
 */
import type { Package } from "../../src/models/packages/package.ts";
import { sizeOf } from "../../src/models/packages/size.ts";
import { SENTENCES } from "./sentences.ts";

const UNITS = {
  "word errors": "%",
  "right answers": "%",
  "first audio": "ms",
  memory: "MB",
  speed: "x realtime",
} as const;

/** `value` null: not measured, `detail` says why. */
export type Measured = {
  kind: keyof typeof UNITS;
  /** The recording, the language, the other engine. */
  detail: string;
  value: number | null;
  /** Of word errors: what was recognized. */
  language?: string;
  /** Of word errors: whether the voice or the recognizer on the other side is a small one. */
  isHard?: boolean;
};

type Bound = { least: number } | { most: number };

/** Null: measured only. */
export type Bounds = (measured: Measured, pkg: Package) => Bound | null;

export type MeasuredRow = Record<"package" | "variant" | "measured" | "value" | "bound" | "result", string>;

/** Languages that recognizers of files are known to write with fewer than one wrong word in five. */
const WELL_KNOWN = new Set(
  "ar bg ca cs da el et fi hi hr hu id ja ko lt lv nl no pl ro sk sl sv tr uk vi zh".split(" "),
);

/** Packages below it are small models, with more errors. */
const SMALL_BYTES = 400e6;

export const isSmall = ({ files, recognition }: Package) =>
  recognition !== undefined && (sizeOf(files) ?? Number.POSITIVE_INFINITY) < SMALL_BYTES;

function mostErrors({ language = "", isHard = false }: Measured, pkg: Package): Bound | null {
  const isForgiving = isHard || isSmall(pkg);
  if (language in SENTENCES) return { most: isForgiving ? 25 : 10 };
  return WELL_KNOWN.has(language) && !isForgiving ? { most: 25 } : null;
}

/** Of two processor cores or more. */
export const USUAL_BOUNDS: Bounds = (measured, pkg) => {
  switch (measured.kind) {
    case "word errors":
      return mostErrors(measured, pkg);
    case "right answers":
      return { least: pkg.family === "smart-turn" ? 75 : 100 };
    case "first audio":
      return { most: 3000 };
    case "memory":
      return { most: Math.round((3 * (sizeOf(pkg.files) ?? 0)) / 1e6) + 600 };
    case "speed":
      return { least: 1 };
  }
};

const keeps = (value: number, bound: Bound) =>
  "least" in bound ? value >= bound.least : value <= bound.most;

const boundText = (bound: Bound) => ("least" in bound ? `at least ${bound.least}` : `at most ${bound.most}`);

export type Judged = { pkg: Package; variant: string | null; bounds: Bounds };

export function rowOf(measured: Measured, { pkg, variant, bounds }: Judged): MeasuredRow {
  const { kind, detail, value } = measured;
  const bound = bounds(measured, pkg);
  const row = { package: pkg.name, variant: variant ?? "-", measured: detail ? `${kind}: ${detail}` : kind };
  if (value === null) return { ...row, value: "-", bound: "-", result: "not measured" };
  const text = `${Number(value.toFixed(value < 10 ? 2 : 0))} ${UNITS[kind]}`;
  if (bound === null) return { ...row, value: text, bound: "-", result: "measured" };
  return { ...row, value: text, bound: boundText(bound), result: keeps(value, bound) ? "ok" : "fails" };
}

/** A package that could not be measured at all. */
export const failedRow = (message: string, { pkg, variant }: Judged): MeasuredRow => ({
  package: pkg.name,
  variant: variant ?? "-",
  measured: message,
  value: "-",
  bound: "-",
  result: "fails",
});

const COLUMNS = ["package", "variant", "measured", "value", "bound", "result"] as const;

export function tableText(rows: readonly MeasuredRow[]): string {
  const table = [
    Object.fromEntries(COLUMNS.map((name) => [name, name.toUpperCase()])),
    ...rows,
  ] as MeasuredRow[];
  const widths = COLUMNS.map((name) => Math.max(...table.map((row) => row[name].length)));
  return table
    .map((row) =>
      COLUMNS.map((name, at) => row[name].padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
