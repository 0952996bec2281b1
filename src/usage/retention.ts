/** Request logs are kept for ninety days, and what they came to for ever; what accounts leave behind goes when it has expired. */
import type { Accounts } from "../accounts/accounts.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Ledger, LOGS_KEPT_SECONDS } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";

const EVERY_MS = 3_600_000;

type RetentionParts = {
  ledger: Pick<Ledger, "forgetRequests">;
  accounts: Pick<Accounts, "forgetOld">;
  clock: Clock;
  log: Log;
};

/** Once when opened, then every hour; closing waits for the one under way. */
export function openRetention({ ledger, accounts, clock, log }: RetentionParts): AsyncDisposable {
  const attempt = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (cause: unknown) => log.warn(`old ${what} could not be forgotten`, { cause }),
    );
  const forget = async () => {
    await attempt("requests", ledger.forgetRequests(unixSeconds(clock) - LOGS_KEPT_SECONDS));
    await attempt("rows of accounts", accounts.forgetOld());
  };
  let last = forget();
  const timer = setInterval(() => {
    last = last.then(forget);
  }, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await last;
    },
  };
}
