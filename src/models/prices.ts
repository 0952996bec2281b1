/**
 * The operator's own prices of models, which replace those of the manifests: each holds from its second on, until the next one
 * of its model does. Pure.
 */
import type { Detail } from "../errors.ts";
import { fromFault } from "../plans.ts";

/** Of a million characters or seconds. `backgroundMicros` null: what is done in the background costs the same. */
export type Price = {
  model: string;
  /** Unix seconds. */
  validFrom: number;
  micros: number;
  backgroundMicros: number | null;
  createdAt: number;
};

export const priceRecord = ({ model, validFrom, micros, backgroundMicros, createdAt }: Price) => ({
  object: "price" as const,
  ...{ model, unit_price_micros: micros, background_unit_price_micros: backgroundMicros },
  ...{ valid_from: validFrom, created_at: createdAt },
});

/** $10,000 for a million units. */
const PRICE_MAX_MICROS = 10_000_000_000;
export const PRICES_MAX = 1000;

/** Of one model: what holds, and what will hold next; null: the manifest's, and that nothing changes. */
type ModelPrices = { current: Price | null; next: Price | null };

/** What holds at a time, by model, until another price begins: a Unix second. */
export type HeldPrices = { of: ReadonlyMap<string, ModelPrices>; until: number };

export function pricesAt(prices: readonly Price[], now: number): HeldPrices {
  const of = new Map<string, ModelPrices>();
  let until = Number.POSITIVE_INFINITY;
  for (const price of prices.toSorted((one, other) => one.validFrom - other.validFrom)) {
    const known = of.get(price.model) ?? { current: null, next: null };
    if (price.validFrom <= now) of.set(price.model, { current: price, next: null });
    else {
      of.set(price.model, { current: known.current, next: known.next ?? price });
      until = Math.min(until, price.validFrom);
    }
  }
  return { of, until };
}

/** Why a price cannot be set; `validFrom` null: it is to hold at once. */
export function faultsOfPrice(
  {
    micros,
    backgroundMicros,
    validFrom,
  }: Omit<Price, "model" | "createdAt" | "validFrom"> & {
    validFrom: number | null;
  },
  now: number,
): Detail[] {
  const faults: Detail[] = [];
  const fault = (field: string, message: string) => faults.push({ field, code: "malformed", message });
  const isPrice = (value: number) => Number.isInteger(value) && value >= 0 && value <= PRICE_MAX_MICROS;
  const range = `must be a whole number of micros from 0 to ${PRICE_MAX_MICROS}`;
  if (!isPrice(micros)) fault("unit_price_micros", range);
  if (backgroundMicros !== null && !isPrice(backgroundMicros)) fault("background_unit_price_micros", range);
  const late = validFrom === null ? null : fromFault(validFrom, now, "a price");
  if (late !== null) fault("valid_from", late);
  return faults;
}
