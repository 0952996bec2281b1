/** The most that organizations may choose of what is kept. */
import { type Environment, whole, wholeOr } from "./environment.ts";

/** `logDays`: how long request logs are kept at most. `keyMaxDays`: how long new keys last at most; null: forever. */
export type RetentionConfig = { logDays: number; keyMaxDays: number | null };

export const readRetention = (environment: Environment): RetentionConfig => ({
  logDays: whole(environment, "LOQUAT_REQUEST_LOG_DAYS"),
  keyMaxDays: wholeOr(environment, "LOQUAT_KEY_MAX_DAYS", null),
});
