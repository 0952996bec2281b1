/** What a thread that delivers speech while it synthesizes it receives with a task, and what it returns then: plain data. */

/**
 * `port`: where samples go, in order, as soon as they are final; null: they are returned. `dueInMs`: when the listener needs
 * the first samples.
 */
export type Delivery = {
  port: MessagePort | null;
  dueInMs: number;
};

/**
 * What was not posted, and how often something was: results and messages may arrive in any order. Where nothing was, all
 * samples may be returned instead.
 */
export type DeliveredSamples = { rest: Float32Array; posted: number };

/** Of the result of a task with a port. */
export const isDelivered = (result: object | number): result is DeliveredSamples =>
  typeof result === "object" && "posted" in result;
