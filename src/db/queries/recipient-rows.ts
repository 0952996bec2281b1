/** Rows of addresses that are told of alerts, and the statements that change them. */
import { and, count, eq, inArray, ne, notInArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { insertWhere } from "./insert-where.ts";

export type RecipientRow = Tables["alertRecipient"]["$inferSelect"];

const ALWAYS = sql`1 = 1`;

export function openRecipientRows({ query, tables }: Pick<Database, "query" | "tables">) {
  const { alertRecipient, spendAlert } = tables;
  const { id, organizationId, email, state, nonce, tellsBalance } = alertRecipient;
  const isOf = (owner: string) => eq(organizationId, owner);
  const among = (of: SQL | undefined) => query.select().from(alertRecipient).where(of);
  return {
    /** Of these addresses, in small letters. */
    named: (owner: string, emails: readonly string[]): PromiseLike<RecipientRow[]> =>
      emails.length === 0 ? Promise.resolve([]) : among(and(isOf(owner), inArray(email, [...emails]))),
    confirmed: (owner: string): PromiseLike<RecipientRow[]> =>
      among(and(isOf(owner), eq(state, "confirmed"))),
    ofBalance: (owner: string): PromiseLike<RecipientRow[]> =>
      among(and(isOf(owner), eq(tellsBalance, true))).orderBy(email),
    find: async (recipientId: string): Promise<RecipientRow | null> =>
      (await among(eq(id, recipientId)))[0] ?? null,
    /** Those that have not refused. */
    async counted(owner: string): Promise<number> {
      const [row] = await query
        .select({ count: count() })
        .from(alertRecipient)
        .where(and(isOf(owner), ne(state, "unsubscribed")));
      return Number(row!.count);
    },
    /** Deletes those that no alert names any more; what refused is kept, so that it stays refused. */
    async sweep(owner: string): Promise<void> {
      const alerts = await query
        .select({ recipients: spendAlert.recipients })
        .from(spendAlert)
        .where(eq(spendAlert.organizationId, owner));
      const named = alerts.flatMap(({ recipients }) => JSON.parse(recipients) as string[]);
      const kept = new Set(named.map((each) => each.toLowerCase()));
      const rows = await among(and(isOf(owner), ne(state, "unsubscribed"), eq(tellsBalance, false)));
      const unnamed = rows.filter((row) => !kept.has(row.email)).map((row) => row.id);
      if (unnamed.length > 0) await query.delete(alertRecipient).where(inArray(id, unnamed));
    },
    /** A statement: it is there, unless the address is known. `when`: a condition on which it depends. */
    added: (row: Omit<RecipientRow, "tellsBalance">, when: SQL = ALWAYS): SQLWrapper =>
      insertWhere(alertRecipient, row, when),
    /** A statement: it is asked anew, unless it has answered meanwhile. */
    asked: (row: RecipientRow, again: Pick<RecipientRow, "nonce" | "askedAt">, when?: SQL): SQLWrapper =>
      query
        .update(alertRecipient)
        .set(again)
        .where(and(eq(id, row.id), eq(nonce, row.nonce), eq(state, "pending"), when)),
    /** A statement. */
    answered: (row: RecipientRow, answer: Pick<RecipientRow, "state" | "answeredAt">): SQLWrapper =>
      query
        .update(alertRecipient)
        .set(answer)
        .where(and(eq(id, row.id), eq(nonce, row.nonce), eq(state, row.state))),
    /** Statements: these addresses are told of the balance, and no others. */
    balanceToldTo(owner: string, emails: readonly string[]): SQLWrapper[] {
      const set = (tells: boolean, of: SQL | undefined) =>
        query
          .update(alertRecipient)
          .set({ tellsBalance: tells })
          .where(and(isOf(owner), eq(tellsBalance, !tells), of));
      if (emails.length === 0) return [set(false, undefined)];
      return [set(false, notInArray(email, [...emails])), set(true, inArray(email, [...emails]))];
    },
  };
}
