/** The ledger as the rest of the server sees it: may this organization spend, and book what it spent. */
import { type Clock, unixSeconds } from "../clock.ts";
import { unavailableOnError } from "../errors.ts";
import type { Audit } from "./audit.ts";
import {
  type Charge,
  type Grant,
  monthOf,
  type NewGrant,
  type NewReversal,
  newAccount,
  type Reversal,
  spanOf,
  startingGrant,
  type UsageEvent,
} from "./burn-down.ts";
import type { BalancedAccount, Reads, RequestLog, Store } from "./store.ts";
import { openWriteQueue } from "./write-queue.ts";

export type { RequestQuery, RequestRow } from "../db/queries/request-reads.ts";
export { type Dimension, USAGE_ROWS_MAX, type UsageQuery, type UsageRow } from "../db/queries/usage-reads.ts";

/** Request logs are kept so long; what they came to is kept for ever. */
export const LOGS_KEPT_SECONDS = 90 * 86_400;

/** `monthMicros` is what this calendar month (UTC) has cost; a null limit is none. */
export type Credit = {
  balanceMicros: number;
  overdraftMicros: number;
  monthMicros: number;
  monthlyLimitMicros: number | null;
  purchasedMicros: number;
};

/** What is answered is on the disk. Closing books what waits first. */
export type Ledger = AsyncDisposable &
  Reads & {
    credit(organizationId: string): Promise<Credit>;
    /** Everybody's, read at once: answers for an organization what `credit` would. */
    credits(): Promise<(organizationId: string) => Credit>;
    charge(charge: Charge, request?: RequestLog): Promise<UsageEvent>;
    /** A charge for what was delivered already: where the store fails, it waits until it can be booked. */
    owe(charge: Charge, request: RequestLog): Promise<void>;
    /** Of a charge that failed: whether or not it was booked after all, it is as if it never was. Waits like `owe`. */
    cancel(charge: Charge): Promise<void>;
    grant(grant: NewGrant): Promise<Grant>;
    /** The starting credit: once an organization, however often it is given. */
    grantStarting(organizationId: string): Promise<Grant>;
    /** Takes credit back that was paid back; what no grant has any more becomes overdraft. */
    reverse(reversal: NewReversal): Promise<Reversal>;
    setMonthlyLimit(organizationId: string, micros: number | null): Promise<void>;
    /** Notes a request, or what became of it since, in a moment: nobody waits for it. */
    log(request: RequestLog): Promise<void>;
    /** Deletes the logs of requests from before then, in Unix seconds; the sums stay. */
    forgetRequests(before: number): Promise<void>;
    /** What is stored beside what the events say, of one moment. */
    audit(): Promise<Audit>;
  };

export function openLedger(store: Store, clock: Clock): Ledger {
  const line = openWriteQueue(store);
  const { write } = line;
  const grant = async (grant: NewGrant) => (await write<{ grant: Grant }>({ grant })).grant;
  return {
    async credit(organizationId) {
      const now = unixSeconds(clock);
      const month = monthOf(now);
      const account =
        (await unavailableOnError("The ledger", store.account(organizationId, now))) ??
        nothing(organizationId);
      if (account.month === month || account.month === 0) return creditOf(account, month, NO_COSTS);
      const costs = await unavailableOnError(
        "The ledger",
        store.costs({ month, ...spanOf(month), organizationId }),
      );
      return creditOf(account, month, costs);
    },
    async credits() {
      const now = unixSeconds(clock);
      const month = monthOf(now);
      const accounts = new Map((await store.accounts(now)).map((one) => [one.organizationId, one]));
      const costs = await store.costs({ month, ...spanOf(month), organizationId: null });
      return (organizationId) =>
        creditOf(accounts.get(organizationId) ?? nothing(organizationId), month, costs);
    },
    charge: async (charge, request) =>
      (await write<{ event: UsageEvent }>({ charge, request: request && cleaned(request) })).event,
    async owe(charge, request) {
      const owed = { charge, request: cleaned(request) };
      await write(owed).catch(() => write(owed, "patient"));
    },
    cancel: async (charge) => void (await write({ void: charge }, "patient")),
    grant,
    grantStarting: (organizationId) => grant(startingGrant(organizationId, unixSeconds(clock))),
    setMonthlyLimit: async (organizationId, micros) =>
      void (await write({ limit: { organizationId, micros } })),
    reverse: async (reversal) => (await write<{ reversal: Reversal }>({ reversal })).reversal,
    log: async (log) => void (await write({ log: cleaned(log) }, "patient")),
    async forgetRequests(before) {
      for await (const forget of store.oldRequests(before)) await write({ forget });
    },
    grants: (organizationId) => store.grants(organizationId),
    requests: (organizationId, limit) => store.requests(organizationId, limit),
    usage: (query) => store.usage(query),
    totals: (organizationId) => store.totals(organizationId),
    requestPage: (query) => store.requestPage(query),
    request: (organizationId, id) => store.request(organizationId, id),
    recentErrors: (limit) => store.recentErrors(limit),
    audit: () => store.audit(unixSeconds(clock) - LOGS_KEPT_SECONDS),
    async [Symbol.asyncDispose]() {
      await line[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const nothing = (organizationId: string): BalancedAccount => ({
  ...newAccount(organizationId),
  balanceMicros: 0,
});

type Costs = Awaited<ReturnType<Store["costs"]>>;

const NO_COSTS: Costs = new Map();

/** An account counts the month of its last charge; for any other the sums of days answer. */
const creditOf = ({ month, monthMicros, ...rest }: BalancedAccount, now: number, costs: Costs): Credit => ({
  ...rest,
  monthMicros: month === now ? monthMicros : (costs.get(rest.organizationId) ?? 0),
});

/** What no database takes as text: the character NUL, and halves of surrogate pairs. */
function cleaned(log: RequestLog): RequestLog {
  const { model, voice, responseFormat, errorCode, userAgent } = log;
  if ([model, voice, responseFormat, errorCode, userAgent].every(isClean)) return log;
  const texts = Object.entries(log).filter(([, value]) => typeof value === "string");
  return { ...log, ...Object.fromEntries(texts.map(([name, text]) => [name, clean(text as string)])) };
}

const isClean = (text: string | null): boolean =>
  text === null || (text.isWellFormed() && !text.includes("\0"));

const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");
