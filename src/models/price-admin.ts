/** Editing the operator's own prices: checked, and stored. */
import { type Clock, unixSeconds } from "../clock.ts";
import { invalidInput } from "../errors.ts";
import type { Catalogue } from "./catalogue.ts";
import type { PriceList } from "./live-catalogue.ts";
import { faultsOfPrice, PRICES_MAX, type Price } from "./prices.ts";

/** `validFrom` null: at once. */
type NewPrice = Pick<Price, "model" | "micros" | "backgroundMicros"> & { validFrom: number | null };

export type PriceAdmin = Pick<PriceList, "current"> & {
  /** Refuses models that the catalogue does not have. One of the same model and time is replaced. */
  set(price: NewPrice): Promise<Price>;
  /** What held before it, or the manifest's, holds again. False if there is no such price. */
  remove(price: Pick<Price, "model" | "validFrom">): Promise<boolean>;
};

/** `catalogue`: a part of what it has. */
type PriceDeps = { list: PriceList; catalogue: Pick<Catalogue, "entries">; clock: Clock };

export function openPriceAdmin({ list, catalogue, clock }: PriceDeps): PriceAdmin {
  return {
    current: list.current,
    async set({ validFrom, ...asked }) {
      const now = unixSeconds(clock);
      const faults = faultsOfPrice({ ...asked, validFrom }, now);
      const fault = (field: string, message: string) => faults.push({ field, code: "malformed", message });
      if (!catalogue.entries.some(({ id }) => id === asked.model))
        fault("model", `is ${asked.model}, and the catalogue has no such model`);
      if (list.current().length >= PRICES_MAX)
        fault("model", `has one price too many: there may be ${PRICES_MAX} in all`);
      if (faults.length > 0) throw invalidInput(faults);
      const price = { ...asked, validFrom: validFrom ?? now, createdAt: now };
      await list.store.put(price);
      await list.refresh();
      return price;
    },
    async remove(price) {
      const isRemoved = await list.store.delete(price);
      await list.refresh();
      return isRemoved;
    },
  };
}
