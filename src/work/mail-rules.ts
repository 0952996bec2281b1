/** How often a mail is tried, and how many are sent at once. */
import type { Rules } from "./decisions.ts";

const MINUTE_MS = 60_000;
/** After each failed attempt: the last of five begins within a day. */
const PAUSES_MS = [1, 15, 120, 1200].map((minutes) => minutes * MINUTE_MS);

export const MAIL_ATTEMPTS: Pick<Rules, "attemptsMax" | "pauseMs"> = {
  attemptsMax: PAUSES_MS.length + 1,
  pauseMs: (attempts) => PAUSES_MS[attempts - 1] ?? 0,
};

/** Of a kind, at a node. */
export const MAILS_AT_ONCE: Pick<Rules, "atOnce" | "groupAtOnce"> = { atOnce: 4, groupAtOnce: 4 };

export const MAIL_RULES: Rules = { ...MAIL_ATTEMPTS, ...MAILS_AT_ONCE };
