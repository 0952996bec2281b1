/** Where the phonemes of a text are heard, by how long each id of a model lasts. */

/** Where the phoneme at a code unit is heard, in samples; null for one that the engine does not know. */
export type Boundaries = readonly (readonly [start: number, end: number] | null)[];

/**
 * A run of a model: the code unit that each id stands for, -1 for one that stands for none, and how many steps it lasts;
 * null where the graph does not tell it.
 */
export type TimedRun = {
  samples: Float32Array;
  places: readonly number[];
  durations: ArrayLike<unknown> | null;
};

/** `step` and `silence`, which is between two runs, in samples. Null where the graph does not tell the durations. */
export function boundariesOf(
  runs: readonly TimedRun[],
  { step, silence = 0 }: { step: number; silence?: number },
): Boundaries | null {
  const boundaries: [number, number][] = [];
  let offset = 0;
  for (const { samples, places, durations } of runs) {
    if (durations?.length !== places.length) return null;
    let at = offset;
    for (const [id, place] of places.entries()) {
      const end = at + Number(durations[id]) * step;
      if (place >= 0) boundaries[place] = [boundaries[place]?.[0] ?? at, end];
      at = end;
    }
    offset += samples.length + silence;
  }
  return boundaries;
}
