/** What a hundred keywords cost a transducer: the search of Parakeet's sizes, behind an encoder of next to no work. */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { nemoContents, nemoOptions } from "../../testing/packages/families/nemo.ts";
import { PARAKEET } from "../../testing/packages/families/nemo-sizes.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { median, type Row } from "../harness/row.ts";

const SECONDS = 20;
const ROUNDS = 9;
const KEYWORDS = 100;

export async function benchKeywords(): Promise<Row[]> {
  await using store = openTestStore();
  const contents = nemoContents.joint({ durations: 5, sizes: PARAKEET, deep: true });
  store.add("parakeet", "nemo", { contents, options: nemoOptions("tdt", 5) });
  const words = String(contents.vocabulary.bytes)
    .split("\n")
    .flatMap((line) => /^▁(\S+) \d+$/.exec(line)?.[1] ?? []);
  const keywords = Array.from({ length: KEYWORDS }, (_, at) =>
    [1, 7, 13].map((step) => words[(at * step + step) % words.length]).join(""),
  );
  const secondsOf = async (some: string[]): Promise<number> => {
    const random = openRandom(1);
    const samples = Float32Array.from({ length: SECONDS * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
    const spans = [{ start: 0, end: samples.length }];
    const recording = { samples, spans, language: "en", prompt: "", keywords: some, claim: soleClaim() };
    const begun = performance.now();
    await Array.fromAsync(recognize(store.registry.engine("parakeet"), recording));
    return (performance.now() - begun) / 1000;
  };
  const [plain, biased]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const times = [await secondsOf([]), await secondsOf(keywords)] as const;
    if (round === 0) continue; // opens the engine
    plain.push(times[0]);
    biased.push(times[1]);
  }
  const [usual, slower] = [median(plain), median(biased)];
  return [
    { name: `search of ${SECONDS} s`, value: usual * 1000, unit: "ms" },
    { name: `with ${KEYWORDS} keywords`, value: slower / usual, unit: "x", target: "at most 1.5" },
  ];
}
