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
};
