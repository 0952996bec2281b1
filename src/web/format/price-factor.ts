/** The price factor of an organization as a sentence. */
import { dayInUtc } from "./times.ts";

type Factors = { price_factor: number; price_factor_from: number | null; next_price_factor: number | null };

export function factorText({ price_factor, price_factor_from, next_price_factor }: Factors): string {
  const now = pricesAt(price_factor);
  if (next_price_factor === null || price_factor_from === null) return `${now}.`;
  return `${now}; from ${dayInUtc(price_factor_from)} (UTC), ${pricesAt(next_price_factor).toLowerCase()}.`;
}

function pricesAt(factor: number): string {
  if (factor === 0) return "Free of charge";
  return factor === 1 ? "List prices" : `List prices × ${factor}`;
}
