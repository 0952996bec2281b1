/**
 * Deletes request logs and the sums of end users after ninety days or the fewer of their organization, events and deliveries of webhooks after thirty,
 * the audit log and what was counted of budgets after 400, and expired rows of accounts and repeated requests. Usage sums are
 * kept forever.
 */
import type { Accounts } from "../accounts/accounts.ts";
import { AUDIT_KEPT_SECONDS } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { EVENTS_KEPT_SECONDS } from "../events/raising.ts";
import { BUDGETS_KEPT_SECONDS, completeFrom, DAY_SECONDS, LOG_DAYS_MAX, logDaysOf } from "../kept-data.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";

const EVERY_MS = 3_600_000;
const EVENT_BATCHES_MAX = 100; // of 1,000 rows

type Forgetting = { forget(before: number): Promise<boolean> };

type RetentionDeps = {
  ledger: Pick<Ledger, "forgetRequests" | "trimReplayables">;
  accounts: Pick<Accounts, "forgetOld" | "listOrganizations" | "noteLogsFrom">;
  /** How long the server keeps request logs at most. */
  logDays: number;
  /** Deletes a batch of the oldest; whether there may be more. */
  events: Forgetting;
  deliveries: Forgetting;
  auditEvents: Forgetting;
  budgets: Forgetting;
  endUsers: { forgetDay(organizationId: string, before: number): Promise<boolean> };
  clock: Clock;
  log: Log;
};

/** Runs when opened, then every hour; closing waits for a run in progress. */
export function openRetention(deps: RetentionDeps): AsyncDisposable {
  const { ledger, accounts, events, deliveries, auditEvents, budgets, clock, log } = deps;
  const attempt = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (cause: unknown) => log.warn("retention_failed", { what, cause }),
    );
  const forget = async () => {
    await attempt("requests", forgetRequests(deps));
    await attempt("replayables", ledger.trimReplayables());
    await attempt("accounts", accounts.forgetOld());
    await attempt("events", forgetEvents(events, unixSeconds(clock) - EVENTS_KEPT_SECONDS));
    await attempt("deliveries", forgetEvents(deliveries, unixSeconds(clock) - EVENTS_KEPT_SECONDS));
    await attempt("audit", forgetEvents(auditEvents, unixSeconds(clock) - AUDIT_KEPT_SECONDS));
    await attempt("budgets", forgetEvents(budgets, unixSeconds(clock) - BUDGETS_KEPT_SECONDS));
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

/** Each organization's after its own days. What is incomplete is noted before it is. */
async function forgetRequests(deps: RetentionDeps): Promise<void> {
  const { ledger, accounts, endUsers, logDays, clock } = deps;
  const now = unixSeconds(clock);
  const befores = new Map<string, number>();
  for (const organization of await accounts.listOrganizations()) {
    const days = logDaysOf(organization, logDays);
    const before = now - days * DAY_SECONDS;
    const from = completeFrom(before);
    befores.set(organization.id, before);
    if (days < LOG_DAYS_MAX && from > (organization.requestLogsFrom ?? 0))
      await accounts.noteLogsFrom(organization.id, from);
    for (let days = 0; days <= LOG_DAYS_MAX && (await endUsers.forgetDay(organization.id, before)); days++);
  }
  await ledger.forgetRequests((id) => befores.get(id) ?? now - LOG_DAYS_MAX * DAY_SECONDS);
}

async function forgetEvents({ forget }: Forgetting, before: number): Promise<void> {
  for (let batch = 0; batch < EVENT_BATCHES_MAX && (await forget(before)); batch++);
}
