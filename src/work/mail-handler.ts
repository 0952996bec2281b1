/** How work that mails one person is done: five attempts within a day, none after the mail server refused the address for good. */
import type { NewWork } from "../db/queries/work-rows.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "./attempt.ts";
import { MAIL_RULES } from "./mail-rules.ts";

/** "refused": the mail server never takes mail for that address. */
export type Sent = "sent" | "refused";

type MailEvent = Parameters<Log["error"]>[0];

type MailDeps = { log: Log; events: { failed: MailEvent; givenUp: MailEvent } };

class Refused extends Error {}

/** `mail`: sends what a payload says. Null where that is no longer so; rows of work that send it to each. */
export const mailHandler = <Payload>(
  { log, events }: MailDeps,
  mail: (payload: Payload, id: string) => Promise<Sent | NewWork[] | null>,
): Handler => ({
  rules: MAIL_RULES,
  async attempt({ id, payload }) {
    const done = await mail(JSON.parse(payload) as Payload, id);
    if (done === "refused") throw new Refused("an address was refused");
    return Array.isArray(done) ? done : [];
  },
  failureOf: (cause) => ({ isFinal: cause instanceof Refused }),
  failed: (_, { id, again }) => log.error(again ? events.failed : events.givenUp, { id }), // causes name addresses
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
