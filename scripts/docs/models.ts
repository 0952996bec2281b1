/** The tables of docs/models.md: packages as their manifests say, what was measured, and what was verified. */

import { byteText } from "../../src/byte-text.ts";
import { readConfig } from "../../src/config/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import {
  filesOf,
  type Measurement,
  type Package,
  type PackageFile,
  readPackages,
} from "../../src/models/packages/package.ts";
import { sizeOf, sizeText } from "../../src/models/packages/size.ts";
import { aligned, withBlock } from "./blocks.ts";
import { VERIFIED } from "./verified.ts";

const GROUPS: [title: string, tasks: FamilyTask[]][] = [
  ["Speech synthesis", ["synthesis"]],
  ["Recognition", ["recognition", "streaming-recognition"]],
  ["Speakers", ["diarization", "speaker-embedding"]],
  ["Voice activity, turns and pronunciation", ["voice-activity", "turn-detection", "pronunciation"]],
  ["Programs under the GPL", ["program"]],
];

/** The page with its tables as the manifests say. */
export function withPackageTables(page: string): string {
  const all = [...readPackages(readConfig({}).models.folder).values()];
  const tables = GROUPS.map(([title, tasks]) => {
    const rows = all.filter(({ family }) => tasks.includes(familyOf(family).task)).flatMap(rowsOf);
    return [`### ${title}`, "", ...aligned([COLUMNS, ...rows])].join("\n");
  });
  const withPackages = withBlock(page, "packages", tables.join("\n\n"));
  return withBlock(withBlock(withPackages, "sources", sourcesText(all)), "verified", verifiedTable());
}

/** What depends on one place, on a branch, or on the first download. */
function sourcesText(all: Package[]): string {
  const addressesOf = ({ sources }: Package, { url }: PackageFile) => (url ? [url].flat() : sources);
  const having = (isOne: (file: PackageFile, addresses: string[]) => boolean) =>
    all
      .filter((pkg) => pkg.files.some((file) => isOne(file, addressesOf(pkg, file))))
      .map(({ name }) => `\`${name}\``)
      .join(", ");
  const isMoving = (address: string) => address.includes("/resolve/main/");
  return [
    `Every address names a commit or a release, but those of ${having((_, each) => each.some(isMoving))}, of which no commit is`,
    "published. Hashes are those of the first download, as far as the source declares none, in",
    `${having(({ sha256 }) => sha256 === null)}.`,
    "Files are published in one place only in",
    `${having((_, each) => each.length < 2)}.`,
    "Keep what you have pulled with `loquat models export`, if you depend on one of them.",
  ].join("\n");
}

/** A row for each oracle; what a family's other rows have is in its first. */
function verifiedTable(): string {
  const rows = Object.entries(VERIFIED).flatMap(([family, { against, tests, open }]) =>
    against.map(({ oracle, equal, tolerance, atOnce }, index) => [
      index === 0 ? `\`${family}\`` : "",
      ...[oracle, equal, tolerance, atOnce],
      ...(index === 0 ? [open, tests.map((path) => `\`${path}\``).join("<br>")] : ["", ""]),
    ]),
  );
  const head = ["Family", "Oracle", "Equal", "Within", "At once", "Not verified", "Tests"];
  return aligned([head, ...rows]).join("\n");
}

const COLUMNS = ["Package", "Variant", "Size", "Source", "Licence", "Memory", "Speed", "Verified"];

/** One row for each precision, or each platform. */
function rowsOf(pkg: Package): string[][] {
  const precisions = [...pkg.variants.cpu, ...pkg.variants.gpu];
  const variants = [...new Set([...precisions, ...pkg.files.flatMap(({ platform }) => platform ?? [])])];
  return (variants.length > 0 ? variants : [null]).map((variant) => {
    return [
      `\`${pkg.name}\``,
      variant ?? "",
      sizeText(sizeOf(filesOf(pkg, variant, variant ?? undefined))),
      pkg.sources
        .slice(0, 1)
        .map((source) => `[${new URL(source).host}](${source})`)
        .join(""),
      `[${pkg.license.spdx}](${pkg.license.url})${pkg.license.acceptance ? ", to be accepted" : ""}`,
      ...measuredTexts(pkg.measured?.find((each) => each.variant === variant)),
      `[${pkg.family}](#what-was-verified)`,
    ];
  });
}

/** Memory and speed of one caller, and of eight at once. */
function measuredTexts(found: Measurement | undefined): [memory: string, speed: string] {
  if (!found) return ["", ""];
  const { memoryMb, speed, eight } = found;
  const of = (text: (mb: number, speed: number) => string) =>
    [text(memoryMb, speed), ...(eight ? [`8 at once: ${text(eight.memoryMb, eight.speed)}`] : [])].join(
      "<br>",
    );
  return [of((mb) => byteText(mb * 1e6)), of((_, times) => `${times.toPrecision(2)}x`)];
}
