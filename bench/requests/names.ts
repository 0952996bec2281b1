/**
 * What plan and alias look-ups add to a request: the choice of model, voice and format under the names that clients bring,
 * less the same choice under the catalogue's own ids. With every voice of the catalogue and a thousand own aliases.
 */
import { readConfig } from "../../src/config/config.ts";
import { type Alias, mergeAliases, readAliases } from "../../src/models/aliases.ts";
import { buildCatalogue } from "../../src/models/catalogue.ts";
import { chooseSpeech } from "../../src/models/choose.ts";
import { catalogueByPlan } from "../../src/models/live-catalogue.ts";
import { readManifests } from "../../src/models/manifest.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import { median, type Row } from "../harness/row.ts";

const ROUNDS = 301;
const CALLS = 1000;
const OWN = 1000;

export async function benchNames(): Promise<Row[]> {
  const { folder } = readConfig().models;
  const catalogue = buildCatalogue(readManifests(folder), () => true, [...readPackages(folder).values()]);
  const stored = Array.from({ length: OWN }, (_, at): Alias => {
    return { kind: "voice", name: `voice-${at}`, targets: ["female-warm"], format: null };
  });
  const aliases = mergeAliases(readAliases(folder), stored);
  const catalogueFor = catalogueByPlan(catalogue, () => aliases);
  const request = { voice: "female-warm", format: "mp3", speed: 1, streaming: false };
  const plain = () => chooseSpeech(catalogue, { ...request, model: "svc-tts1" });
  const named = (fields: object) => () =>
    chooseSpeech(catalogueFor({ plan: "unmetered", caps: [] }), { ...request, model: "tts-1", ...fields });
  const added = (work: () => unknown) => addedMicroseconds(plain, work);
  const row = (name: string, work: () => unknown, target?: string): Row => ({
    name,
    value: added(work),
    unit: "µs",
    ...(target ? { target } : {}),
  });
  return [
    row("a prepaid plan", () =>
      chooseSpeech(catalogueFor({ plan: "prepaid", caps: [] }), { ...request, model: "svc-tts1" }),
    ),
    row("tts-1 and alloy, no format", named({ voice: "alloy", format: null }), "at most 20"),
    row("tts-1 and the last of 1,000 own names", named({ voice: `voice-${OWN - 1}` }), "at most 20"),
    row("tts-1 and the display name of a voice", named({ voice: "Hugo" }), "at most 20"),
    row("tts-1 as streamed MP3, by its second model", named({ streaming: true, voice: "ash" })),
  ];
}

/** Of one call, at the median of rounds in turns. */
function addedMicroseconds(plain: () => unknown, work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => callMicroseconds(work) - callMicroseconds(plain));
  return Math.max(0, median(rounds));
}

function callMicroseconds(work: () => unknown): number {
  const begun = performance.now();
  for (let call = 0; call < CALLS; call++) work();
  return ((performance.now() - begun) * 1000) / CALLS;
}
