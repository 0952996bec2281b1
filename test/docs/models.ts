/** The tables of packages in docs/models.md, drawn from the manifests. */
import { readConfig } from "../../src/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import { filesOf, type Package, type PackageFile, readPackages } from "../../src/models/package.ts";
import { sizeOf, sizeText } from "../../src/models/size.ts";

const GROUPS: [title: string, tasks: FamilyTask[]][] = [
  ["Speech synthesis", ["synthesis"]],
  ["Recognition", ["recognition", "streaming-recognition"]],
  ["Voice activity, turns and pronunciation", ["voice-activity", "turn-detection", "pronunciation"]],
];
const HASH_DIGITS = 12;

/** The page with its tables as the manifests say. */
export function withPackageTables(page: string): string {
  const all = [...readPackages(readConfig({}).models.folder).values()];
  const tables = GROUPS.map(([title, tasks]) => {
    const rows = all.filter(({ family }) => tasks.includes(familyOf(family).task)).flatMap(rowsOf);
    return [`### ${title}`, "", ...aligned([COLUMNS, ...rows])].join("\n");
  });
  const block = `<!-- packages -->\n\n${tables.join("\n\n")}\n\n<!-- /packages -->`;
  return page.replace(/<!-- packages -->[\s\S]*<!-- \/packages -->/, () => block);
}

const COLUMNS = [
  "Package",
  "Variant",
  "Size",
  "Files: bytes, SHA-256",
  "Source",
  "Licence",
  "Measured",
  "Verified",
];
/** As the formatter aligns tables. */
function aligned([head, ...rows]: string[][]): string[] {
  const widths = head!.map((_, column) => Math.max(...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head!), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

/** One row for each precision. */
function rowsOf(own: Package): string[][] {
  const variants = [...new Set([...own.variants.cpu, ...own.variants.gpu])];
  return (variants.length > 0 ? variants : [null]).map((variant) => {
    const files = filesOf(own, variant);
    return [
      `\`${own.name}\``,
      variant ?? "",
      sizeText(sizeOf(files)),
      filesText(files),
      own.sources.map((source) => `[${new URL(source).host}](${source})`).join("<br>"),
      `[${own.license.spdx}](${own.license.url})${own.license.acceptance ? ", to be accepted" : ""}`,
      measuredText(own, variant),
      own.verified ?? "",
    ];
  });
}

/** Voices of one size are one line. */
function filesText(files: PackageFile[]): string {
  const voices = files.filter(({ role }) => role.startsWith("voice-"));
  const others = files.filter((file) => !voices.includes(file));
  const lines = others.map(({ path, bytes, sha256 }) => {
    const size = bytes === null ? "size unknown" : bytes.toLocaleString("en-US");
    return `${path}: ${size}, ${sha256 === null ? "hash unknown" : sha256.slice(0, HASH_DIGITS)}`;
  });
  if (voices.length > 0) lines.push(`${voices.length} voices: ${sizeText(sizeOf(voices))}`);
  return lines.join("<br>");
}

function measuredText({ measured = [] }: Package, variant: string | null): string {
  const found = measured.find((each) => each.variant === variant);
  if (!found) return "";
  return [`${found.memoryMb} MB`, ...(found.speed ? [`${found.speed}x real time`] : [])].join(", ");
}
