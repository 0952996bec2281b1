/** Deletes request logs after ninety days, and expired rows of accounts and repeated requests. Usage sums are kept forever. */
import type { Accounts } from "../accounts/accounts.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Ledger, LOGS_KEPT_SECONDS } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";

const EVERY_MS = 3_600_000;

type RetentionDeps = {
  ledger: Pick<Ledger, "forgetRequests" | "trimReplayables">;
  accounts: Pick<Accounts, "forgetOld">;
  clock: Clock;
  log: Log;
};

/** Runs when opened, then every hour; closing waits for a run in progress. */
export function openRetention({ ledger, accounts, clock, log }: RetentionDeps): AsyncDisposable {
  const attempt = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (cause: unknown) => log.warn("retention_failed", { what, cause }),
    );
  const forget = async () => {
    await attempt("requests", ledger.forgetRequests(unixSeconds(clock) - LOGS_KEPT_SECONDS));
    await attempt("replayables", ledger.trimReplayables());
    await attempt("accounts", accounts.forgetOld());
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
