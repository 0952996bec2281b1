/**
 * How many times faster than real time an engine runs: seconds of audio for each second in which it worked, lately.
 *
 *   task 1  ░░░░░░              while the engine loads: not counted
 *   task 2        ██████
 *   task 3           ███████
 *   busy          ██████████    counted once, however many tasks run
 *
 * Holds totals only. Of more than a minute of work they are scaled down to one, so that what is older counts less and less.
 */

/** Runs a task, and counts the audio that its result stands for. */
export type Measure = <T>(work: () => Promise<T>, audioSeconds: (result: T) => number) => Promise<T>;

export type SpeedMeter = {
  /** For an engine that starts: its tasks count once the first has succeeded. */
  started(): Measure;
  /** Null until any audio was counted. */
  speed(): number | null;
};

const RECENT_MS = 60_000;

export function openSpeedMeter(nowMs = () => performance.now()): SpeedMeter {
  let running = 0;
  let lastMs = 0;
  let busyMs = 0;
  let audioSeconds = 0;

  const change = (by: 1 | -1) => {
    const atMs = nowMs();
    if (running > 0) busyMs += atMs - lastMs;
    lastMs = atMs;
    running += by;
    const recent = Math.min(1, RECENT_MS / busyMs);
    busyMs *= recent;
    audioSeconds *= recent;
  };
  const counted: Measure = async (work, secondsOf) => {
    change(1);
    try {
      const result = await work();
      audioSeconds += secondsOf(result);
      return result;
    } finally {
      change(-1);
    }
  };

  return {
    started() {
      let isLoaded = false;
      return async (work, secondsOf) => {
        if (isLoaded) return counted(work, secondsOf);
        const result = await work();
        isLoaded = true;
        return result;
      };
    },
    speed: () => (audioSeconds > 0 && busyMs > 0 ? (audioSeconds * 1000) / busyMs : null),
  };
}
