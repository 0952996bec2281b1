/** `npm run bench [NAME …]`: runs benchmarks, prints a table for each, and fails where a figure misses its target. */
import { benchAgainst } from "./against/against.ts";
import { benchAttacks } from "./attacks/attacks.ts";
import { benchPorts } from "./attacks/ports.ts";
import { benchDecode } from "./audio/decode.ts";
import { benchEncode } from "./audio/encode.ts";
import { benchResample } from "./audio/resample.ts";
import { benchCluster } from "./cluster/cluster.ts";
import { benchCost } from "./cost/cost.ts";
import { benchDevices } from "./engines/devices.ts";
import { benchFeatures } from "./engines/features.ts";
import { benchGraphs } from "./engines/graphs.ts";
import { benchKeywords } from "./engines/keywords.ts";
import { benchOpenings } from "./engines/openings.ts";
import { benchOracles } from "./engines/oracles.ts";
import { benchPocket } from "./engines/pocket.ts";
import { benchQuality } from "./engines/quality.ts";
import { benchWordTimes } from "./engines/word-times.ts";
import { benchWorstInputs } from "./engines/worst-inputs.ts";
import { benchExecutable } from "./executable/executable.ts";
import { benchChaos } from "./faults/chaos.ts";
import { benchRolling } from "./faults/rolling.ts";
import { benchStop } from "./faults/stop.ts";
import { benchFloors } from "./floors/floors.ts";
import { benchGrowth } from "./growth/growth.ts";
import { benchHandover } from "./handover/handover.ts";
import type { Row } from "./harness/row.ts";
import { benchDashboard } from "./ledger/dashboard.ts";
import { benchLedgerSchedules } from "./ledger/schedules.ts";
import { benchNewcomer } from "./pages/newcomer.ts";
import { benchPageChanges } from "./pages/page-changes.ts";
import { benchPages } from "./pages/pages.ts";
import { benchRealSize } from "./real-size/real-size.ts";
import { benchConversation } from "./realtime/conversation.ts";
import { benchLiveText } from "./realtime/live-text.ts";
import { benchRealtime } from "./realtime/realtime.ts";
import { benchReferences } from "./references/references.ts";
import { benchVoices } from "./references/voices.ts";
import { benchWhisper } from "./references/whisper-references.ts";
import { benchWyoming } from "./references/wyoming-peers.ts";
import { benchBursts } from "./requests/bursts.ts";
import { benchCaps } from "./requests/caps.ts";
import { benchDialects } from "./requests/dialect-audio.ts";
import { benchEvents } from "./requests/events.ts";
import { benchIdle } from "./requests/idle.ts";
import { benchJobs } from "./requests/jobs.ts";
import { benchLongJob } from "./requests/long-job.ts";
import { benchMemory } from "./requests/memory.ts";
import { benchMetered } from "./requests/metered.ts";
import { benchModels } from "./requests/models.ts";
import { benchNames } from "./requests/names.ts";
import { benchRecording } from "./requests/recording.ts";
import { benchRepeated } from "./requests/repeated.ts";
import { benchSpeech } from "./requests/speech.ts";
import { benchEngineNode } from "./requests/through-node.ts";
import { benchSoak } from "./soak/soak.ts";
import { benchUpstream } from "./upstream/upstream.ts";

/** Rows at the end, or each as it is measured. */
type Bench = () => Promise<Row[]> | AsyncIterable<Row>;

const BENCHES: Record<string, Bench> = {
  speech: benchSpeech,
  dialects: benchDialects,
  caps: benchCaps,
  events: benchEvents,
  "engine-node": benchEngineNode,
  upstream: benchUpstream,
  cluster: benchCluster,
  decode: benchDecode,
  recording: benchRecording,
  jobs: benchJobs,
  "long-job": benchLongJob,
  encode: benchEncode,
  resample: benchResample,
  devices: benchDevices,
  features: benchFeatures,
  oracles: benchOracles,
  pocket: benchPocket,
  graphs: benchGraphs,
  keywords: benchKeywords,
  "word-times": benchWordTimes,
  models: benchModels,
  names: benchNames,
  metered: benchMetered,
  cost: benchCost,
  growth: benchGrowth,
  repeated: benchRepeated,
  bursts: benchBursts,
  "ledger-schedules": benchLedgerSchedules,
  dashboard: benchDashboard,
  realtime: benchRealtime,
  conversation: benchConversation,
  "live-text": benchLiveText,
  pages: benchPages,
  "page-changes": benchPageChanges,
  newcomer: benchNewcomer,
  idle: benchIdle,
  memory: benchMemory,
  quality: benchQuality,
  openings: benchOpenings,
  attacks: benchAttacks,
  ports: benchPorts,
  handover: benchHandover,
  executable: benchExecutable,
  "real-size": benchRealSize,
  references: benchReferences,
  voices: benchVoices,
  whisper: benchWhisper,
  wyoming: benchWyoming,
  "worst-inputs": benchWorstInputs,
  soak: benchSoak,
  stop: benchStop,
  floors: benchFloors,
  chaos: benchChaos,
  rolling: benchRolling,
  against: benchAgainst,
};
/** Run only where they are named: they take minutes to hours, or need another checkout. */
const NAMED_ONLY = [
  "live-text",
  "long-job",
  "real-size",
  "references",
  "voices",
  "whisper",
  "wyoming",
  "worst-inputs",
  "soak",
  "chaos",
  "rolling",
  "against",
];

const names = process.argv.slice(2);
let missed = 0;
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 ? !names.includes(name) : NAMED_ONLY.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  for await (const row of await bench()) {
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
