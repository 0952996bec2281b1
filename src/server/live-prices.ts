/** The prices that the operator has set, which other processes and nodes edit too. */
import { type Audit, type AuditEvent, created } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { readEverySecond } from "../db/polling.ts";
import { type ChangePrice, openPriceRows } from "../db/queries/price-rows.ts";
import type { Log } from "../log/log.ts";
import { openPriceList, type PriceList } from "../models/live-catalogue.ts";

type Audited = { database: Database; audit: Audit };

export const openPrices = ({ database, audit }: Audited): Promise<PriceList> =>
  openPriceList(openPriceRows(database, (change, row) => audit.ifChanged(change, [], [eventOf(row)])));

/** A row without a price is one that is removed. */
const eventOf = (row: Parameters<ChangePrice>[1]): AuditEvent => {
  const { model, validFrom: valid_from, micros, backgroundMicros } = row;
  const isRemoved = micros === undefined;
  const prices = { unit_price_micros: micros, background_unit_price_micros: backgroundMicros };
  return {
    ...{ type: isRemoved ? "price.deleted" : "price.updated", organizationId: null, resourceId: model },
    changes: created(isRemoved ? { valid_from } : { valid_from, ...prices }),
  };
};

/** Reads them now and once a second. Those that were read last hold while the database does not answer. */
export async function followPrices(
  audited: Audited,
  clock: Clock,
  log: Log,
): Promise<PriceList & { clock: Clock } & AsyncDisposable> {
  const list = await openPrices(audited);
  const reading = readEverySecond(list.refresh, (cause) => log.warn("prices_unavailable", { cause }));
  return { ...list, clock, [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose]() };
}
