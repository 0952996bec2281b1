/** `bun run bench [NAME …]`: measures, prints a table a bench, fails where a figure misses its target. */
import { benchAttacks } from "./attacks.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchDecode } from "./decode.ts";
import { benchEncode } from "./encode.ts";
import { benchFeatures } from "./features.ts";
import { benchGraphs } from "./graphs.ts";
import { benchLedgerSchedules } from "./ledger-schedules.ts";
import { benchMemory } from "./memory.ts";
import { benchMetered } from "./metered.ts";
import { benchModels } from "./models.ts";
import { benchNames } from "./names.ts";
import { benchOracles } from "./oracles.ts";
import { benchPageChanges } from "./page-changes.ts";
import { benchPages } from "./pages.ts";
import { benchQuality } from "./quality.ts";
import { benchRealtime } from "./realtime.ts";
import type { Row } from "./row.ts";
import { benchSpeech } from "./speech.ts";

const BENCHES: Record<string, () => Promise<Row[]>> = {
  speech: benchSpeech,
  decode: benchDecode,
  encode: benchEncode,
  features: benchFeatures,
  oracles: benchOracles,
  graphs: benchGraphs,
  models: benchModels,
  names: benchNames,
  metered: benchMetered,
  "ledger-schedules": benchLedgerSchedules,
  dashboard: benchDashboard,
  realtime: benchRealtime,
  pages: benchPages,
  "page-changes": benchPageChanges,
  memory: benchMemory,
  quality: benchQuality,
  attacks: benchAttacks,
};

const wanted = process.argv.slice(2);
let missed = 0;
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  for (const row of await bench()) {
    const ok = reaches(row);
    if (!ok) missed++;
    const value = row.value.toFixed(row.value < 10 ? 2 : 0).padStart(9);
    const target = row.target ? `   ${row.target}${ok ? "" : ": MISSED"}` : "";
    process.stdout.write(`  ${row.name.padEnd(58)} ${value} ${row.unit}${target}\n`);
  }
}
process.exitCode = missed > 0 ? 1 : 0;

function reaches({ value, target }: Row): boolean {
  const [, kind, bound] = /^at (most|least) ([\d.]+)$/.exec(target ?? "") ?? [];
  if (!kind) return true;
  return kind === "most" ? value <= Number(bound) : value >= Number(bound);
}
