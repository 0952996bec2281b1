/**
 * `loquat models check`: compares the files of each package with what is published of them, starts its engine as the
 * server would, and runs it once.
 */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { compareFiles, type Difference } from "../../models/signature/compare.ts";
import { readFamilySignature, signatureOf } from "../../models/signature/signature.ts";
import { JSON_OPTION, printFinding, printJson, printLine } from "../base/output.ts";
import { eachVariant, installedPackages, type OneVariant } from "./packages.ts";
import { runTrial } from "./trial.ts";

export function check(command: Command): void {
  command
    .command("check")
    .description(
      "Compare each package with what is published of it and run its engine once; exit code 1 if one differs or does not run",
    )
    .argument("[name...]", "package names (default: all that are installed)")
    .option(...JSON_OPTION)
    .action(async (names, { json }) => {
      const reports: Report[] = [];
      for (const installed of installedPackages(names)) {
        for (const one of eachVariant(installed)) {
          const report = await reportOf(one);
          reports.push(report);
          if (!json) print(report);
        }
      }
      if (json) printJson({ object: "list", data: reports });
      if (reports.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

type Report = {
  name: string;
  /** Null where the package has one precision only. */
  variant: string | null;
  ok: boolean;
  /** What contradicts a published fact, by file. */
  differences: Difference[];
  /** Null: packages of this family are used by other engines, and run with them. */
  ran: boolean | null;
  failure: string | null;
  /** Figures that its makers published. */
  published: string;
};

async function reportOf({ variant, installed }: OneVariant): Promise<Report> {
  const { name, family, published } = installed.package;
  const known = readFamilySignature(readConfig().models.folder, family);
  const files = { folder: installed.folder, files: installed.package.files };
  const differences = known ? compareFiles(signatureOf(known, name), files) : [];
  const { ran, failure } = await runTrial(installed).then(
    (trial) => ({ ran: trial ? true : null, failure: null }),
    (error: Error) => ({ ran: false, failure: error.message }),
  );
  return {
    name,
    variant,
    ok: differences.length === 0 && failure === null,
    differences,
    ran,
    failure,
    published,
  };
}

function print({ variant, ok, differences, ran, failure, published, ...report }: Report): void {
  const name = variant === null ? report.name : `${report.name} ${variant}`;
  if (ok) printFinding(`ok       ${name}${ran ? "" : " (used by other packages, and checked with them)"}`);
  for (const { path, message } of differences) printFinding(`differs  ${name}: ${path}: ${message}`);
  if (failure) printFinding(`failed   ${name}: ${failure}`);
  if (ok && published) printLine(`         published: ${published}`);
}
