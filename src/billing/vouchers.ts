/**
 * Voucher codes: made by operators, redeemed once each for credit.
 *
 *   unused ──redeemed by the first organization──> grant under the voucher's id, as often as it asks again
 *      └──voided, or its days are over──> refused
 *
 * Who redeems it is written before the credit: a process that ends in between has not granted it, and the organization gets it
 * by sending the code again. Only hashes of codes are stored.
 */

import { hash, randomBytes } from "node:crypto";
import { and, desc, eq, getTableColumns, gt, isNull, or } from "drizzle-orm";
import { type AuditEvent, created, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Grant } from "../ledger/booking/burn-down.ts";
import type { Ledger } from "../ledger/ledger.ts";

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;
const TRIES_MAX = 10;
const LISTED_MAX = 10_000;
const ACTION = "redeem a code";

export type Voucher = Omit<Tables["voucher"]["$inferSelect"], "hash">;

/** `days`: how long a code can be redeemed, and how long its credit lasts from then on; null: forever. */
type NewVouchers = { amountMicros: number; count: number; days: number | null; createdBy: string | null };

/** Counts tries, on all nodes together. */
type Attempts = {
  refuse(action: string, subject: string, bound: { most: number; windowSeconds: number }): Promise<void>;
  forget(action: string, subject: string): Promise<void>;
};

export type Vouchers = ReturnType<typeof openVouchers>;

export function openVouchers(deps: {
  database: Database;
  ledger: Pick<Ledger, "grant">;
  attempts: Attempts;
  clock: Clock;
}) {
  const { database, ledger, attempts, clock } = deps;
  const audit = openAudit(database, clock);
  return {
    ...openVoucherStore(deps),
    /** The grant of a code. Ten tries an hour of each organization; the count begins anew with one that succeeds. */
    async redeem(organizationId: string, typed: string): Promise<Grant> {
      const symbols = readCode(typed);
      if (symbols === null) throw mistyped();
      await attempts.refuse(ACTION, organizationId, { most: TRIES_MAX, windowSeconds: HOUR_SECONDS });
      const voucher = await claim(deps, { hash: hashOf(symbols), organizationId, now: unixSeconds(clock) });
      const { id, amountMicros, days, redeemedAt } = voucher;
      const grantId = id.replace(/^code_/, "grant_");
      const changes = created({ amount_micros: amountMicros, code: id });
      const event = { type: "billing.credit.granted", organizationId, resourceId: grantId, changes } as const;
      const grant = await ledger.grant(
        {
          ...{
            id: grantId,
            organizationId,
            kind: "voucher",
            amountMicros,
            createdAt: redeemedAt!,
            topUpId: null,
          },
          expiresAt: days === null ? null : redeemedAt! + days * DAY_SECONDS,
        },
        audit.prepared(event),
      );
      await attempts.forget(ACTION, organizationId);
      return grant;
    },
  };
}

/** What operators do with codes. */
export function openVoucherStore({ database, clock }: { database: Database; clock: Clock }) {
  const { query, tables } = database;
  const { voucher } = tables;
  const { hash: _, ...columns } = getTableColumns(voucher);
  const audit = openAudit(database, clock);
  return {
    /** The codes, seen this once, with their records. */
    async create({
      amountMicros,
      count,
      days,
      createdBy,
    }: NewVouchers): Promise<(Voucher & { code: string })[]> {
      const createdAt = unixSeconds(clock);
      const expiresAt = days === null ? null : createdAt + days * DAY_SECONDS;
      const made = Array.from({ length: count }, () => ({ code: newCode(), id: newId("code", clock) }));
      const shared = { amountMicros, days, createdBy, createdAt, expiresAt };
      const open = { redeemedBy: null, redeemedAt: null, voidedAt: null };
      const rows = made.map(({ code, id }) => ({ id, hash: hashOf(readCode(code)!), ...shared, ...open }));
      const changes = created({ amount_micros: amountMicros, days });
      const events = made.map(({ id }): AuditEvent => ({ ...eventOf("billing.code.created", id), changes }));
      await audit.atomically([query.insert(voucher).values(rows)], events);
      return made.map(({ code, id }) => ({ id, code, ...shared, ...open }));
    },
    /** Newest first. */
    list: (): Promise<Voucher[]> =>
      Promise.resolve(
        query
          .select(columns)
          .from(voucher)
          .orderBy(desc(voucher.createdAt), desc(voucher.id))
          .limit(LISTED_MAX),
      ),
    /** A second time it changes nothing. Refused once it was redeemed. */
    async void(id: string): Promise<Voucher> {
      const isOpen = and(eq(voucher.id, id), isNull(voucher.redeemedBy), isNull(voucher.voidedAt));
      const change = query
        .update(voucher)
        .set({ voidedAt: unixSeconds(clock) })
        .where(isOpen);
      await audit.ifChanged(change, [], [eventOf("billing.code.voided", id)]);
      const [known] = await query.select(columns).from(voucher).where(eq(voucher.id, id));
      if (!known) throw new Refusal("not_found", "There is no such code.");
      if (known.redeemedBy === null) return known;
      throw new Refusal("code_not_redeemable", "This code was redeemed. Take its credit back instead.");
    },
  };
}

/** A code belongs to the server until it is redeemed. */
const eventOf = (type: AuditEvent["type"], resourceId: string): AuditEvent => ({
  type,
  organizationId: null,
  resourceId,
});

type Claim = { hash: string; organizationId: string; now: number };

/** The voucher, which belongs to the organization from now on. Of several at once, one is the first. */
async function claim(
  { database: { query, tables } }: { database: Database },
  { hash, organizationId, now }: Claim,
): Promise<Voucher> {
  const { voucher } = tables;
  const isOpen = and(
    eq(voucher.hash, hash),
    isNull(voucher.redeemedBy),
    isNull(voucher.voidedAt),
    or(isNull(voucher.expiresAt), gt(voucher.expiresAt, now)),
  );
  const [claimed] = await query
    .update(voucher)
    .set({ redeemedBy: organizationId, redeemedAt: now })
    .where(isOpen)
    .returning();
  if (claimed) return claimed;
  const [known] = await query.select().from(voucher).where(eq(voucher.hash, hash));
  if (!known) throw new Refusal("not_found", "There is no such code.");
  if (known.redeemedBy === organizationId) return known;
  const why =
    known.redeemedBy !== null ? "was redeemed already" : known.voidedAt !== null ? "is void" : "has expired";
  throw new Refusal("code_not_redeemable", `This code ${why}.`);
}

const mistyped = () =>
  invalidInput([{ field: "code", code: "malformed", message: "has a typing error: check it and try again" }]);

const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM = 16;
const LENGTH = RANDOM + 2;
const PRIME = 1021; // below 32², and larger than any difference of two symbols

const checkOf = (symbols: string): string => {
  let rest = 0;
  for (const symbol of symbols) rest = (rest * SYMBOLS.length + SYMBOLS.indexOf(symbol)) % PRIME;
  return `${SYMBOLS[rest >> 5]}${SYMBOLS[rest & 31]}`;
};

/**
 * Codes of vouchers: 16 random symbols (80 bits) and two that check them, in three groups of six.
 *
 *   7K3F9Q-2MX8PA-0C4TZD        symbols: digits and letters without I, L, O and U
 *
 * Read as a number of base 32, the symbols before the check leave a remainder by the prime 1021, which is the check. Every
 * wrong symbol and every swap of neighbours changes it, so that typing errors are found without asking a database.
 *
 * `random`: 16 bytes. @internal
 */
export function newCode(random: Uint8Array = randomBytes(RANDOM)): string {
  const symbols = Array.from(random.subarray(0, RANDOM), (byte) => SYMBOLS[byte & 31]).join("");
  return `${symbols}${checkOf(symbols)}`.match(/.{6}/g)!.join("-");
}

/** As it was made, in whatever case and groups it was typed; null if it cannot be one. @internal */
export function readCode(typed: string): string | null {
  const symbols = typed.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  if (symbols.length !== LENGTH || [...symbols].some((symbol) => !SYMBOLS.includes(symbol))) return null;
  return checkOf(symbols.slice(0, RANDOM)) === symbols.slice(RANDOM) ? symbols : null;
}

/** What is stored of a code. It has too many values to be guessed from this. */
const hashOf = (symbols: string): string => hash("sha256", symbols);
