/** How a mail of an alert is sent to one member: five attempts within a day. */
import { eq } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import type { Rules } from "../work/decisions.ts";
import { MAIL_RULES, MAILS_AT_ONCE } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";
import type { Words } from "./alert-letters.ts";

/** `page`: of the organization's in the dashboard. */
export type AlertLetter = Words & {
  organization: { id: string; name: string };
  page: "usage" | "billing" | "settings";
};

type Sent = "sent" | "refused";

/** Rejects if the mail server does not take the mail now; "refused": it never will. */
type SendAlert = (to: string, letter: AlertLetter) => Promise<Sent>;

export type AlertWorkDeps = {
  database: Database;
  work: Pick<Work, "handle">;
  send: SendAlert;
  clock: Clock;
  log: Log;
};

const MINUTE_MS = 60_000;

/** Of what needs the database only: it is tried until that answers. */
export const RAISING_RULES: Rules = { attemptsMax: 1000, pauseMs: () => MINUTE_MS, ...MAILS_AT_ONCE };

/** The mail server refused the address for good. */
class Refused extends Error {}

/** `mail`: sends what a payload says, unless it is no longer so: null. */
export const mailHandler = <Payload>(
  { log }: Pick<AlertWorkDeps, "log">,
  mail: (payload: Payload) => Promise<Sent | null>,
): Handler => ({
  rules: MAIL_RULES,
  async attempt({ payload }) {
    if ((await mail(JSON.parse(payload) as Payload)) === "refused")
      throw new Refused("an address was refused");
    return [];
  },
  failureOf: (cause) => ({ isFinal: cause instanceof Refused }),
  failed: (_, { id, again }) => log.error(again ? "alert_failed" : "alert_given_up", { id }), // causes name addresses
});

/** Rows of work: a mail to each. */
export const mailsTo = <Payload extends object>(
  people: readonly { id: string }[],
  { id, kind, payload, dueMs }: { id: string; kind: string; payload: Payload; dueMs: number },
): NewWork[] =>
  people.map(({ id: userId }) => ({
    ...{ id: `${id}_${userId}`, kind, dueMs },
    payload: JSON.stringify({ ...payload, userId } satisfies Payload & { userId: string }),
  }));

export async function organizationNamed(
  { query, tables: { organization } }: Pick<Database, "query" | "tables">,
  id: string,
): Promise<AlertLetter["organization"]> {
  const [row] = await query
    .select({ name: organization.name })
    .from(organization)
    .where(eq(organization.id, id));
  return { id, name: row?.name ?? "" };
}
