/** The speed of a download over its last seconds. */

const WINDOW_MS = 10_000;
const SHORTEST_MS = 1000; // before, a burst looks like a speed

type Rate = {
  /** `bytes` that have arrived in all; fewer than before where a part was discarded. */
  add(nowMs: number, bytes: number): void;
  /** Null where too little is known. */
  bytesPerSecond(): number | null;
};

export function openRate(): Rate {
  const samples: { at: number; bytes: number }[] = [];
  return {
    add(at, bytes) {
      if (bytes < (samples.at(-1)?.bytes ?? 0)) samples.length = 0;
      samples.push({ at, bytes });
      while (samples.length > 2 && at - samples[1]!.at >= WINDOW_MS) samples.shift();
    },
    bytesPerSecond() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.at - first.at < SHORTEST_MS) return null;
      return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
    },
  };
}
