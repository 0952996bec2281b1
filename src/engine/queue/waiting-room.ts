/**
 * What the tasks of one API node hold at an engine node while they wait for their turn. Both sides count: the API node holds
 * back what would not fit, and the engine node refuses it.
 */

/** The largest task: 16 minutes of audio at 16 kHz. */
export const TASK_BYTES_MAX = 64 * 1024 * 1024;
/** What an API node with the default `LOQUAT_MEMORY_MB` holds of decoded recordings, whatever the number of places. */
const LEAST_BYTES = 256 * 1024 * 1024;
/** For each place: as many as the shortest tasks that can be done in the time that tasks wait. */
const TASKS_OF_PLACE = 4096;

/** What a task holds: its samples, and the rest of it as JSON. */
export const taskBytes = (rest: unknown, sampleBytes: number): number =>
  sampleBytes + (JSON.stringify(rest)?.length ?? 0);

export class WaitingRoom {
  #tasks = 0;
  #bytes = 0;

  /** Whether another task of so many bytes may wait for an engine with so many places. */
  hasRoom(bytes: number, places: number): boolean {
    const bytesMax = LEAST_BYTES + places * TASK_BYTES_MAX;
    return this.#tasks < places * TASKS_OF_PLACE && this.#bytes + bytes <= bytesMax;
  }

  /** Returns what is to be called, once or more often, when the task waits no longer. */
  enter(bytes: number): () => void {
    this.#tasks++;
    this.#bytes += bytes;
    let waits = true;
    return () => {
      if (!waits) return;
      waits = false;
      this.#tasks--;
      this.#bytes -= bytes;
    };
  }
}
