/** The rows of one installed package in one of its variants, measured in its own process. */
import { fileURLToPath } from "node:url";
import type { Package } from "../../src/models/packages/package.ts";
import type { Extent } from "./engines.ts";
import {
  type Bounds,
  failedRow,
  type Judged,
  type Measured,
  type MeasuredRow,
  rowOf,
} from "./measurement.ts";

const SCRIPT = fileURLToPath(new URL("measure.ts", import.meta.url));
const LONGEST_MS = 6 * 60 * 60 * 1000;

type MeasureOptions = {
  pkg: Package;
  variant: string | null;
  extent: Extent;
  bounds: Bounds;
  environment: Record<string, string | undefined>;
};

/** Rows of what it measured, or one that says why it could not. */
export async function measurePackage({
  pkg,
  variant,
  extent,
  bounds,
  environment,
}: MeasureOptions): Promise<MeasuredRow[]> {
  const judged: Judged = { pkg, variant, bounds };
  const child = Bun.spawn([process.execPath, SCRIPT, JSON.stringify({ name: pkg.name, variant, extent })], {
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
    timeout: LONGEST_MS,
  });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0)
    return [failedRow(reasonIn(errors) ?? `its process ended with ${child.signalCode ?? code}`, judged)];
  const measured: Measured[] = JSON.parse(out.trimEnd().split("\n").at(-1)!);
  return measured.map((each) => rowOf(each, judged));
}

const REASON_MAX = 200;

/** The message of the error that ended a process. */
const reasonIn = (errors: string): string | null =>
  /^(?:error|\w*Error|\w*Refusal): .*$/m.exec(errors)?.[0].slice(0, REASON_MAX) ?? null;
