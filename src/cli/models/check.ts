/**
 * `loquat models check`: compares the files of each package with what is published of them, starts its engine as the
 * server would, and runs it once. Of an upstream, it compares what its models do with what its preset says.
 */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { readPackages } from "../../models/packages/package.ts";
import { type Difference, differencesOf } from "../../models/signature/compare.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { runTrial } from "../../server/engines/trial.ts";
import { openUpstreamSet } from "../../upstreams/upstreams.ts";
import { JSON_OPTION, printFinding, printJson, printLine, UsageError } from "../base/output.ts";
import { storedUpstreams } from "../base/stored-upstreams.ts";
import { probeUpstream } from "../upstream/probe.ts";
import { damagedPackages, eachVariant, installedPackages, type OneVariant } from "./installed/packages.ts";

export function check(command: Command): void {
  command
    .command("check")
    .description(
      "Compare each package with what is published of it and run its engine once; exit code 1 if one differs or does not run",
    )
    .argument("[name...]", "names of packages or upstreams (default: all installed packages)")
    .option(...JSON_OPTION)
    .action(async (names, { json }) => {
      const reports: Report[] = [];
      for await (const report of reportsOn(names)) {
        reports.push(report);
        if (!json) print(report);
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
  /** Whether it is no package of the catalogue: then only its own configuration says what its graphs should have. */
  unpublished?: true;
  /** Of an upstream's model: what it does. */
  abilities?: string[];
};

/** Upstreams are checked where they are named only: their requests may cost money. */
async function* reportsOn(names: string[]): AsyncGenerator<Report> {
  const { weights } = readConfig().models;
  const damaged = damagedPackages(names);
  const isDamaged = (name: string) => damaged.some(([each]) => each === name);
  const isPackage = (name: string) => openModelStore(weights).installed(name) !== null;
  const others = names.filter((name) => !isPackage(name) && !isDamaged(name));
  const upstreams = others.length === 0 ? [] : await upstreamsNamed(others);
  const packages = names.filter(isPackage);
  for (const [name, failure] of damaged)
    yield { name, variant: null, ok: false, differences: [], ran: false, failure, published: "" };
  if (packages.length > 0 || names.length === 0)
    for (const installed of installedPackages(packages))
      for (const one of eachVariant(installed)) yield await reportOf(one);
  for (const { set, usable } of upstreams)
    for (const { failure, ...probed } of await probeUpstream(set, usable)) {
      const ok = failure === null && probed.differences.length === 0;
      yield { ...probed, variant: null, ok, ran: failure === null, failure, published: "" };
    }
}

async function upstreamsNamed(names: string[]) {
  const set = openUpstreamSet(readConfig().models.folder);
  set.use(await storedUpstreams());
  return names.map((name) => {
    const usable = set.list().find(({ definition }) => definition.name === name);
    if (!usable) throw new UsageError(`${name} is neither installed nor an upstream.`);
    return { set, usable };
  });
}

async function reportOf({ variant, installed }: OneVariant): Promise<Report> {
  const { name, published } = installed.package;
  const config = readConfig();
  const { folder } = config.models;
  const isPublished = readPackages(folder).has(name);
  const differences = differencesOf(installed, { catalogue: folder, isPublished });
  const { ran, failure } = await runTrial(installed, config).then(
    (trial) => ({ ran: trial && trial.fault === null, failure: trial?.fault ?? null }),
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
    ...(isPublished ? {} : { unpublished: true }),
  };
}

function print({ variant, ok, differences, failure, published, abilities, ...report }: Report): void {
  const name = variant === null ? report.name : `${report.name} ${variant}`;
  if (ok) printFinding(`ok       ${name}${remarkOn(report)}`);
  for (const { path, message } of differences) printFinding(`differs  ${name}: ${path}: ${message}`);
  if (failure) printFinding(`failed   ${name}: ${failure}`);
  for (const ability of abilities ?? []) printLine(`         ${ability}`);
  if (ok && published) printLine(`         published: ${published}`);
}

const remarkOn = ({ ran, unpublished }: Pick<Report, "ran" | "unpublished">): string => {
  if (!ran) return " (used by other packages, and checked with them)";
  return unpublished ? " (runs; not a published package)" : "";
};
