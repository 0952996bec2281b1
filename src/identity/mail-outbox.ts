/**
 * The mail of accounts that is still to be sent: a row of work from before its request is answered, so that it is sent after
 * a restart too, and by whichever node is first.
 *
 *   post ──a row, begun here──> first attempt ──taken, or refused for good──> the row is deleted
 *                                   └── the mail server failed: four more attempts within a day
 *
 * A row holds the message encrypted with the server's secret, because of its link, and is deleted once the link has expired.
 * A node that is killed while it sends may have sent: the next one sends again.
 */
import { createDecipheriv, createHash } from "node:crypto";
import { and, eq, lte } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type Encryption, openEncryption } from "../db/encryption.ts";
import { addsOf, type NewWork } from "../db/queries/work-rows.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import type { Ended, Rules } from "../work/decisions.ts";
import { MAIL_ATTEMPTS } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";

/** A message. `link`: the target of its button. */
export type Letter = { to: string; subject: string; lines: string[]; button: string; link: string };

/** "waiting": it is tried again. "failed": it is not. "refused": the mail server does not take mail to this address. */
export type MailState = "sent" | "waiting" | "failed" | "refused";

export type MailOutbox = Disposable & {
  /**
   * Resolves once the message is kept, to what becomes of the first attempt. It is tried for so many seconds, after which
   * its link has expired.
   */
  post(letter: Letter, seconds: number): Promise<{ sent: Promise<MailState> }>;
  /** Takes over the messages of earlier versions that are due. Never throws. */
  adopt(): Promise<void>;
};

type OutboxDeps = {
  database: Database;
  work: Pick<Work, "handle" | "begin" | "wake">;
  /** What messages are encrypted with. */
  secret: () => Promise<string>;
  /** Its errors are those of the mail server. */
  deliver: (letter: Letter) => Promise<void>;
  clock: Clock;
  log: Log;
};

const KIND = "mail";

const RULES: Rules = {
  ...MAIL_ATTEMPTS,
  atOnce: 20,
  groupAtOnce: 20,
};

const ADOPT_MS = 60_000;
const ADOPTED_AT_ONCE = 100;

class Unreadable extends Error {}

export function openMailOutbox(options: OutboxDeps): MailOutbox {
  const { work, clock, deliver, log } = options;
  const encryption = openEncryption("loquat mail", { configured: null, generated: options.secret });
  const deps = { ...options, encryption };
  const firsts = new Map<string, { isRefused: boolean }>(); // attempts that a caller waits for

  const handler: Handler = {
    rules: RULES,
    async attempt({ id, payload }) {
      const letter = await decrypt(deps, id, payload);
      if (letter === null) throw new Unreadable("it cannot be decrypted");
      await deliver(letter);
      return [];
    },
    failureOf: (cause) => ({ isFinal: cause instanceof Unreadable || isFinal(cause as MailError) }),
    failed(cause, { id, again }) {
      const { code = null, responseCode = null, message } = cause as MailError;
      const first = firsts.get(id);
      if (first) first.isRefused = isRefused(cause as MailError);
      log.error("mail_failed", {
        reason: cause instanceof Unreadable ? message : code,
        response: responseCode,
        again,
      });
    },
  };
  work.handle(KIND, handler);

  async function stateOf(id: string, first: Promise<Ended>): Promise<MailState> {
    const known = { isRefused: false };
    firsts.set(id, known);
    const ended = await first;
    firsts.delete(id);
    if (ended !== "given_up") return ended === "done" ? "sent" : "waiting";
    return known.isRefused ? "refused" : "failed";
  }

  const adopt = () =>
    adoptDue(deps).catch((cause: unknown) =>
      log.error("mail_failed", { reason: "database", again: true, cause }),
    );
  const timer = setInterval(adopt, ADOPT_MS).unref();
  void adopt();
  return {
    adopt,
    async post(letter, seconds) {
      const nowMs = clock.now();
      const id = newId("mail", clock);
      const payload = await encrypt(encryption, id, letter);
      const { first } = await work.begin({
        ...{ id, kind: KIND, payload, dueMs: nowMs },
        expiresMs: nowMs + seconds * 1000,
      });
      return { sent: first ? stateOf(id, first) : Promise.resolve("waiting") };
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

type MailError = Error & { code?: string; responseCode?: number };

const isFinal = ({ responseCode }: MailError): boolean => (responseCode ?? 0) >= 500;

/** Whether the mail server refuses this address, or this mail, for good. A refused sign-in at the server may be mended. */
export const isRefused = ({ code, responseCode }: MailError): boolean =>
  (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode ?? 0) >= 500;

/**
 * Earlier versions kept messages in a table of their own, where nodes that still run one write them. Each is moved when its
 * lease or pause is over.
 */
async function adoptDue({ database, work, clock }: OutboxDeps): Promise<void> {
  const { query, tables, ifChanged } = database;
  const { mailOutbox } = tables;
  const nowMs = clock.now();
  const due = await query
    .select()
    .from(mailOutbox)
    .where(lte(mailOutbox.notBefore, Math.floor(nowMs / 1000)))
    .limit(ADOPTED_AT_ONCE);
  for (const { id, sealed: payload, expiresAt, attempts } of due) {
    const isSame = and(eq(mailOutbox.id, id), eq(mailOutbox.attempts, attempts));
    const row: NewWork = { id, kind: KIND, payload, dueMs: nowMs, expiresMs: expiresAt * 1000 };
    await ifChanged(query.delete(mailOutbox).where(isSame), addsOf(database, [row]));
  }
  if (due.length > 0) work.wake();
}

const encrypt = async (encryption: Encryption, id: string, letter: Letter): Promise<string> =>
  (await encryption.encrypt(id, Buffer.from(JSON.stringify(letter)))).toString("base64");

/** Null where the row is unreadable, or was encrypted with another secret. */
async function decrypt(
  { encryption, secret }: Pick<OutboxDeps, "secret"> & { encryption: Encryption },
  id: string,
  sealed: string,
): Promise<Letter | null> {
  const bytes = Buffer.from(sealed, "base64");
  const opened = (await encryption.decrypt(id, bytes)) ?? openEarlier(id, bytes, await secret());
  return opened && (JSON.parse(opened.toString()) as Letter);
}

/** nonce 12 │ AES-256-GCM ciphertext │ tag 16 */
const EARLIER = { cipher: "aes-256-gcm", nonceBytes: 12, tagBytes: 16 } as const;

/**
 * A letter that the first version of the outbox has encrypted; null where it is none. None is older than an invitation, a
 * week.
 */
function openEarlier(id: string, sealed: Uint8Array, secret: string): Buffer | null {
  const { cipher, nonceBytes, tagBytes } = EARLIER;
  const key = createHash("sha256").update(`mail outbox ${secret}`).digest();
  try {
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), options);
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
