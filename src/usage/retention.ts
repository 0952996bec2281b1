/** Deletes request logs after ninety days, events after thirty, and expired rows of accounts and repeated requests. Usage sums are kept forever. */
import type { Accounts } from "../accounts/accounts.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { EVENTS_KEPT_SECONDS } from "../events/raising.ts";
import { type Ledger, LOGS_KEPT_SECONDS } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";

const EVERY_MS = 3_600_000;
const EVENT_BATCHES_MAX = 100; // of 1,000 rows

type RetentionDeps = {
  ledger: Pick<Ledger, "forgetRequests" | "trimReplayables">;
  accounts: Pick<Accounts, "forgetOld">;
  /** Deletes a batch of the oldest; whether there may be more. */
  events: { forget(before: number): Promise<boolean> };
  clock: Clock;
  log: Log;
};

/** Runs when opened, then every hour; closing waits for a run in progress. */
export function openRetention({ ledger, accounts, events, clock, log }: RetentionDeps): AsyncDisposable {
  const attempt = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (cause: unknown) => log.warn("retention_failed", { what, cause }),
    );
  const forget = async () => {
    await attempt("requests", ledger.forgetRequests(unixSeconds(clock) - LOGS_KEPT_SECONDS));
    await attempt("replayables", ledger.trimReplayables());
    await attempt("accounts", accounts.forgetOld());
    await attempt("events", forgetEvents(events, unixSeconds(clock) - EVENTS_KEPT_SECONDS));
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

async function forgetEvents({ forget }: RetentionDeps["events"], before: number): Promise<void> {
  for (let batch = 0; batch < EVENT_BATCHES_MAX && (await forget(before)); batch++);
}
