/**
 * Raises what no transaction of its own raises: credit that the ledger granted, credit and keys that expire 14 and 3 days later,
 * and prices that change in 14 days. Looks four times a minute at what the time since the last look has brought; each is raised once, whichever node looks.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { raisedOnce } from "../db/queries/event-rows.ts";
import { openPriceReads, openUpcomingRows } from "../db/queries/upcoming-rows.ts";
import type { Log } from "../log/log.ts";
import { repeating } from "../one-at-a-time.ts";
import { chargedPrice, datedAt } from "../plans.ts";
import { type NewEvent, openRaising } from "./raising.ts";

const EVERY_MS = 15_000;
const DAY_SECONDS = 86_400;
/** What a look finds again: rows whose time is that before their transaction. */
const OVERLAP_SECONDS = 120;
const AHEAD_DAYS = [14, 3];
const PRICES_AHEAD_SECONDS = 14 * DAY_SECONDS;

export type Upcoming = AsyncDisposable & {
  /** Calls while it runs share the run. Never throws. */
  run(): Promise<void>;
};

type UpcomingDeps = { database: Database; clock: Clock; log: Log };

export function openUpcoming({ database, clock, log }: UpcomingDeps): Upcoming {
  const raise = openRaising(clock);
  const rows = openUpcomingRows(database);
  const prices = openPriceReads(database);
  let seen = unixSeconds(clock) - DAY_SECONDS; // also what came while no node ran

  async function once(event: NewEvent & { once: NonNullable<NewEvent["once"]> }): Promise<void> {
    if (await raisedOnce(database, raise(event))) database.raised?.();
  }

  /** Fourteen days before, or when it was set if that is later. */
  async function tellOfPrices({ after, until }: { after: number; until: number }): Promise<void> {
    for (const price of await prices.after(until)) {
      const at = Math.max(price.createdAt, price.validFrom - PRICES_AHEAD_SECONDS);
      if (at <= after || at > until) continue;
      const { model, validFrom: valid_from, micros } = price;
      for await (const organization of prices.prepaid()) {
        const factor = datedAt(organization, valid_from);
        await once({
          ...{ type: "price.changing", organizationId: organization.id },
          once: { key: `${organization.id} ${model} ${valid_from} ${micros} ${price.createdAt}`, at },
          data: { model, unit_price_micros: chargedPrice(micros, factor), valid_from },
        });
      }
    }
  }

  async function look(): Promise<void> {
    const until = unixSeconds(clock);
    const after = Math.min(seen, until) - OVERLAP_SECONDS;
    for await (const { id, organizationId, kind, amountMicros, createdAt, expiresAt } of rows.granted({
      after,
      until,
    }))
      await once({
        ...{ type: "credit.granted", organizationId, once: { key: id, at: createdAt } },
        data: { id, kind, amount_micros: amountMicros, expires_at: expiresAt },
      });
    for (const days of AHEAD_DAYS) {
      const ahead = days * DAY_SECONDS;
      const span = { after: after + ahead, until: until + ahead };
      for await (const { id, organizationId, remainingMicros, expiresAt } of rows.expiringGrants(span))
        await once({
          ...{
            type: "credit.expiring",
            organizationId,
            once: { key: `${id} ${days}`, at: expiresAt! - ahead },
          },
          data: { id, remaining_micros: remainingMicros, expires_at: expiresAt, days },
        });
      for await (const { id, organizationId, projectId, expiresAt } of rows.expiringKeys(span))
        await once({
          ...{ type: "api_key.expiring", organizationId, projectId },
          once: { key: `${id} ${expiresAt} ${days}`, at: expiresAt! - ahead },
          data: { id, expires_at: expiresAt, days },
        });
    }
    await tellOfPrices({ after, until });
    seen = until;
  }

  return repeating(EVERY_MS, look, (cause) => log.warn("events_unavailable", { cause }));
}
