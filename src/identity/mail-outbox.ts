/**
 * The mail of accounts that is still to be sent: kept in the database from before its request is answered, so that it is
 * sent after a restart too.
 *
 *   post ──a row, leased──> first attempt ──taken, or refused for good──> the row is deleted
 *                               └── the mail server failed: again after a pause that doubles, by whichever node is first
 *
 * A row holds the message encrypted with the server's secret, because of its link, and is deleted once the link has expired.
 * A node that is killed while it sends may have sent: the next one sends again.
 */
import { createDecipheriv, createHash } from "node:crypto";
import { and, asc, eq, lte, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type Encryption, openEncryption } from "../db/encryption.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import { endsWithin } from "../within.ts";

/** A message. `link`: the target of its button. */
export type Letter = { to: string; subject: string; lines: string[]; button: string; link: string };

/** "waiting": it is tried again. "failed": it is not. "refused": the mail server does not take mail to this address. */
export type MailState = "sent" | "waiting" | "failed" | "refused";

export type MailOutbox = AsyncDisposable & {
  /**
   * Resolves once the message is kept, to what becomes of the first attempt. It is tried for so many seconds, after which
   * its link has expired.
   */
  post(letter: Letter, seconds: number): Promise<{ sent: Promise<MailState> }>;
  /** Sends what is due. Never throws. */
  run(): Promise<void>;
};

type OutboxDeps = {
  database: Database;
  /** What messages are encrypted with. */
  secret: () => Promise<string>;
  /** Its errors are those of the mail server. */
  deliver: (letter: Letter) => Promise<void>;
  clock: Clock;
  log: Log;
};

const EVERY_MS = 30_000;
const LEASE_SECONDS = 120; // an attempt takes less
const ATTEMPTS_MAX = 12;
const FIRST_PAUSE_SECONDS = 60; // doubled with every attempt
const LONGEST_PAUSE_SECONDS = 3 * 3600;
const AT_ONCE = 20;
const CLOSING_MS = 3000;

/** What an open outbox uses. */
type Open = OutboxDeps & { encryption: Encryption };
type Row = { id: string; sealed: string; attempts: number; notBefore: number; expiresAt: number };

export function openMailOutbox(options: OutboxDeps): MailOutbox {
  const encryption = openEncryption("loquat mail", { configured: null, generated: options.secret });
  const deps = { ...options, encryption };
  const { database, clock, log } = deps;
  const { query, tables } = database;
  const sending = new Set<Promise<MailState>>();
  let running: Promise<void> | null = null;
  let isClosing = false;

  function send(row: Row, letter: Letter): Promise<MailState> {
    const state = attempt(deps, row, letter);
    sending.add(state);
    void state.finally(() => sending.delete(state));
    return state;
  }

  async function sendDue(): Promise<void> {
    await query.delete(tables.mailOutbox).where(lte(tables.mailOutbox.expiresAt, unixSeconds(clock)));
    for (let claimed = [""]; claimed.length > 0 && !isClosing; ) {
      claimed = await dueOf(deps);
      const open = await Promise.all(claimed.map((id) => claimLetter(deps, id)));
      await Promise.all(open.map((each) => each && send(each.row, each.letter)));
    }
  }

  function run(): Promise<void> {
    running ??= sendDue()
      .catch((cause: unknown) => log.error("mail_failed", { reason: "database", again: true, cause }))
      .finally(() => {
        running = null;
      });
    return running;
  }

  void run();
  const timer = setInterval(() => void run(), EVERY_MS).unref();
  return {
    run,
    async post(letter, seconds) {
      const now = unixSeconds(clock);
      const id = newId("mail", clock);
      const sealed = await encrypt(encryption, id, letter);
      const row = { id, sealed, attempts: 1, notBefore: now + LEASE_SECONDS, expiresAt: now + seconds };
      await query.insert(tables.mailOutbox).values(row);
      return { sent: send(row, letter) };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      isClosing = true;
      await endsWithin(CLOSING_MS, Promise.all([running, ...sending]));
    },
  };
}

type MailError = Error & { code?: string; responseCode?: number };

/** Whether the mail server refuses this address, or this mail, for good. A refused sign-in at the server may be mended. */
export const isRefused = ({ code, responseCode }: MailError): boolean =>
  (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode ?? 0) >= 500;

/** Never throws. */
async function attempt(deps: Open, row: Row, letter: Letter): Promise<MailState> {
  const { deliver, clock, log } = deps;
  try {
    await deliver(letter);
    return await settled(deps, row, { state: "sent" });
  } catch (thrown) {
    const error = thrown as MailError;
    const { code = null, responseCode = null } = error;
    const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (row.attempts - 1), LONGEST_PAUSE_SECONDS);
    const notBefore = unixSeconds(clock) + pause;
    const isFinal = (responseCode ?? 0) >= 500 || row.attempts >= ATTEMPTS_MAX || notBefore >= row.expiresAt;
    log.error("mail_failed", { reason: code, response: responseCode, again: !isFinal });
    if (!isFinal) return settled(deps, row, { state: "waiting", notBefore });
    return settled(deps, row, { state: isRefused(error) ? "refused" : "failed" });
  }
}

type Outcome = { state: MailState; notBefore?: number };

/** A row that could not be changed is sent once more. */
async function settled(deps: Open, row: Row, { state, notBefore }: Outcome): Promise<MailState> {
  const { query, tables } = deps.database;
  const { mailOutbox } = tables;
  const isSame = and(eq(mailOutbox.id, row.id), eq(mailOutbox.attempts, row.attempts));
  const change =
    notBefore === undefined
      ? query.delete(mailOutbox).where(isSame)
      : query.update(mailOutbox).set({ notBefore }).where(isSame);
  await change.catch((cause: unknown) =>
    deps.log.error("mail_failed", { reason: "database", again: true, cause }),
  );
  return state;
}

async function dueOf({ database: { query, tables }, clock }: Open): Promise<string[]> {
  const { id, notBefore } = tables.mailOutbox;
  const rows = await query
    .select({ id })
    .from(tables.mailOutbox)
    .where(lte(notBefore, unixSeconds(clock)))
    .orderBy(asc(notBefore))
    .limit(AT_ONCE);
  return rows.map((row) => row.id);
}

/** Null if there is nothing to send. */
async function claimLetter(deps: Open, id: string): Promise<{ row: Row; letter: Letter } | null> {
  const row = await claim(deps, id);
  if (row === null) return null;
  const letter = await decrypt(deps, row);
  if (letter) return { row, letter };
  deps.log.error("mail_failed", { reason: "it cannot be decrypted", response: null, again: false });
  await settled(deps, row, { state: "failed" });
  return null;
}

/** Null if it is no longer due, as when another node has claimed it. */
async function claim({ database: { query, tables }, clock }: Open, id: string): Promise<Row | null> {
  const { mailOutbox } = tables;
  const now = unixSeconds(clock);
  const rows = await query
    .update(mailOutbox)
    .set({ attempts: sql`${mailOutbox.attempts} + 1`, notBefore: now + LEASE_SECONDS })
    .where(and(eq(mailOutbox.id, id), lte(mailOutbox.notBefore, now)))
    .returning();
  return rows[0] ?? null;
}

const encrypt = async (encryption: Encryption, id: string, letter: Letter): Promise<string> =>
  (await encryption.encrypt(id, Buffer.from(JSON.stringify(letter)))).toString("base64");

/** Null where the row is unreadable, or was encrypted with another secret. */
async function decrypt({ encryption, secret }: Open, { id, sealed }: Row): Promise<Letter | null> {
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
