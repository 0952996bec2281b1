/** What a task's turn depends on. */

/** From the most urgent to the least. */
export const URGENCIES = ["realtime", "streaming", "batch"] as const;

export type Urgency = (typeof URGENCIES)[number];

export type Position = {
  urgency: Urgency;
  organization: string;
  request: string;
  /** Of a streamed task: in how many milliseconds its listener has played everything before it; 0 for the first sound. */
  dueInMs?: number;
  /**
   * Of a further part of a recording: when the recording came, by `performance.now()`. Such a task comes before what its
   * organization has not begun yet.
   */
  begunMs?: number;
};

/** Whether a task is a further one of its request: such a task waits as long as it must. */
export const isFurther = ({ begunMs, dueInMs = 0 }: Position): boolean =>
  begunMs !== undefined || dueInMs > 0;
