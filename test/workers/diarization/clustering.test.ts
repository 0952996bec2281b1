/** Promise: embeddings are grouped as complete linkage defines it, by a distance or into a number of groups. */
import { describe, expect, test } from "bun:test";
import { openRandom } from "../../../testing/packages/random.ts";
import { cluster, normalized } from "../../../workers/diarization/clustering.ts";
import { matchVoices } from "../../../workers/diarization/known-voices.ts";

/** A direction in the plane, in degrees. */
const at = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

// Distances by hand: 1 - cos 10° = 0.015, 20° = 0.060, 30° = 0.134, 40° = 0.234, 60° = 0.5, 70° = 0.658, 80° = 0.826.
const FIVE = [at(0), at(70), at(10), at(40), at(80)];

describe("groups", () => {
  test("are joined while their least similar members are nearer than the distance", () => {
    // 0 and 10 join at 0.015, 70 and 80 too; 40 is 0.234 from 0 and from 80, and with either the group spans 0.234
    expect(cluster(FIVE, { distance: 0.2, count: null })).toEqual([0, 1, 0, 2, 1]);
    expect(cluster(FIVE, { distance: 0.01, count: null })).toEqual([0, 1, 2, 3, 4]);
    // 0 to 80 is 0.826: at 0.5 there are still two groups, at 0.9 one
    expect(new Set(cluster(FIVE, { distance: 0.5, count: null })).size).toBe(2);
    expect(cluster(FIVE, { distance: 0.9, count: null })).toEqual([0, 0, 0, 0, 0]);
  });

  test("are as many as there are speakers, where that is known", () => {
    for (const count of [1, 2, 3, 4, 5])
      expect(new Set(cluster(FIVE, { distance: 0.5, count })).size).toBe(count);
    expect(new Set(cluster(FIVE, { distance: 0.5, count: 9 })).size).toBe(5); // no more than there are rows
  });

  test("of one row, and of none", () => {
    expect(cluster([at(3)], { distance: 0.5, count: null })).toEqual([0]);
    expect(cluster([], { distance: 0.5, count: 2 })).toEqual([]);
  });
});

/** Complete linkage by its definition: the nearest pair of groups is joined, found by looking at all of them. */
function byDefinition(rows: Float32Array[], distance: number): number[] {
  const far = (a: number, b: number) =>
    1 - rows[a]!.reduce((sum, value, index) => sum + value * rows[b]![index]!, 0);
  let groups = rows.map((_, row) => [row]);
  for (;;) {
    let best = { least: distance, a: -1, b: -1 };
    for (const [a, one] of groups.entries())
      for (const [b, other] of groups.entries()) {
        if (b <= a) continue;
        const least = Math.max(...one.flatMap((x) => other.map((y) => far(x, y))));
        if (least < best.least) best = { least, a, b };
      }
    if (best.a < 0) break;
    const joined = [...groups[best.a]!, ...groups[best.b]!];
    groups = [...groups.filter((_, index) => index !== best.a && index !== best.b), joined];
  }
  const labels = new Map(
    groups.flatMap((group) => group.map((row): [number, number] => [row, Math.min(...group)])),
  );
  const order = [...new Set(rows.map((_, row) => labels.get(row)!))];
  return rows.map((_, row) => order.indexOf(labels.get(row)!));
}

test("many rows are grouped as the definition says", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = openRandom(seed);
    const rows = Array.from({ length: 40 }, () =>
      normalized(Float32Array.from({ length: 6 }, () => random() - 0.5)),
    );
    for (const distance of [0.2, 0.5, 0.9, 1.3])
      expect(cluster(rows, { distance, count: null })).toEqual(byDefinition(rows, distance));
  }
});

test("a known voice is that of the speaker most like it; each speaker and each voice counts once", () => {
  const speakers = { rows: [at(0), at(90), at(10), at(100)], labels: [0, 1, 0, 1] }; // means at 5° and 95°
  const scaled = at(95).map((value) => value * 40); // only its direction counts
  expect(matchVoices([scaled, at(20)], speakers, 0.5)).toEqual([1, 0]);
  expect(matchVoices([at(0), at(5)], speakers, 0.5)).toEqual([null, 0]); // the second is nearer
  expect(matchVoices([at(50), at(180)], speakers, 0.9)).toEqual([null, null]); // 45° away: 0.71
  expect(matchVoices([new Float32Array(0)], speakers, -1)).toEqual([null]); // too short to say
});
