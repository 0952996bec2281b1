/** Request logs are kept for ninety days; what they came to is kept for ever. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";

const KEPT_SECONDS = 90 * 86_400;
const EVERY_MS = 3_600_000;

type RetentionParts = { ledger: Pick<Ledger, "forgetRequests">; clock: Clock; log: Log };

/** Once when opened, then every hour; closing waits for the one under way. */
export function openRetention({ ledger, clock, log }: RetentionParts): AsyncDisposable {
  const forget = () =>
    ledger
      .forgetRequests(unixSeconds(clock) - KEPT_SECONDS)
      .catch((cause: unknown) => log.warn("old requests could not be forgotten", { cause }));
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
