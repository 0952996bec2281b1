/**
 * Billing's background work: charges cards when credit is spent, and reconciles missed events every minute.
 *
 * Nodes may run it concurrently: every step is idempotent, and each organization has one pending charge at most.
 */
import { type Clock, endsWithin, unixSeconds } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import type { BillingAccounts } from "./billing-accounts.ts";
import type { Purchases } from "./checkout.ts";
import type { Recharge } from "./recharge.ts";
import type { TopUps } from "./top-ups.ts";
import type { Webhooks } from "./webhooks.ts";

const EVERY_MS = 60_000;
const LOOK_MS = 1000;
const PENDING_SECONDS = 60;
const ROWS_MAX = 1000;
const AT_ONCE = 4; // requests to the payment service
const CLOSING_MS = 3000; // for work under way

type ReconcileJob = AsyncDisposable & {
  /** Whether an organization's spending may need a charge. */
  watch(organizationId: string, isWatched: boolean): void;
  /** Returns at once, never throws. */
  charged(organizationId: string): void;
  run(): Promise<void>;
};

type ReconcileJobDeps = {
  accounts: BillingAccounts;
  topUps: TopUps;
  purchases: Purchases;
  recharge: Recharge;
  webhooks: Webhooks;
  clock: Clock;
  log: Log;
};

type Attempt = (what: string, id: string, work: Promise<unknown>) => Promise<void>;

export function openReconcileJob(deps: ReconcileJobDeps): ReconcileJob {
  const { accounts, topUps, purchases, recharge, webhooks, clock, log } = deps;
  let watched = new Set<string>();
  let last = Promise.resolve();
  let runs = 0;

  const attempt: Attempt = (what, id, work) =>
    work.then(
      () => {},
      (cause: unknown) => log.warn("reconcile_failed", { what, id, cause }),
    );
  const checks = openChecks(recharge, attempt);

  const look = async () => {
    watched = new Set(await accounts.recharging()); // it may be switched at another node
  };

  async function reconcile(ageSeconds: number): Promise<void> {
    await look();
    await eachOf(await topUps.pending(unixSeconds(clock) - ageSeconds, ROWS_MAX), (topUp) => {
      const refreshed = topUp.kind === "top_up" ? purchases.refresh(topUp) : recharge.refresh(topUp);
      return attempt("a top-up", topUp.id, refreshed);
    });
    await eachOf([...watched], (organizationId) => checks.check(organizationId));
    await webhooks.forget();
  }

  /** One after another. */
  function run(ageSeconds = PENDING_SECONDS): Promise<void> {
    runs++;
    last = last
      .then(() => attempt("billing", "all", reconcile(ageSeconds)))
      .finally(() => {
        runs--;
      });
    return last;
  }

  const looks = oneAtATime(look, () => {}); // a failure is reported by the next run
  const timers = [setInterval(looks.run, LOOK_MS), setInterval(() => runs === 0 && void run(), EVERY_MS)];
  for (const timer of timers) timer.unref();
  void run(0); // a killed process may have left work behind

  return {
    watch(organizationId, isWatched) {
      if (isWatched) watched.add(organizationId);
      else watched.delete(organizationId);
    },
    charged(organizationId) {
      if (watched.has(organizationId)) void checks.check(organizationId);
    },
    run: () => run(),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      await endsWithin(CLOSING_MS, Promise.all([last, looks.running(), checks.idle()]));
    },
  };
}

/** In order, a few at a time. */
async function eachOf<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values(); // shared: each takes the next
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** One check per organization at a time, repeated if it spent meanwhile. */
function openChecks(recharge: Recharge, attempt: Attempt) {
  const busy = new Map<string, { again: boolean; done: Promise<void> }>();

  async function repeat(organizationId: string, turn: { again: boolean }): Promise<void> {
    do {
      turn.again = false;
      await attempt("a recharge", organizationId, recharge.check(organizationId));
    } while (turn.again);
    busy.delete(organizationId);
  }

  return {
    check(organizationId: string): Promise<void> {
      const before = busy.get(organizationId);
      if (before) {
        before.again = true;
        return before.done;
      }
      const turn = { again: false, done: Promise.resolve() };
      busy.set(organizationId, turn);
      turn.done = repeat(organizationId, turn);
      return turn.done;
    },
    idle: () => Promise.all([...busy.values()].map(({ done }) => done)),
  };
}
