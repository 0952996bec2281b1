/** The price factor of an organization as a sentence. */

type Factors = { price_factor: number; price_factor_from: number | null; next_price_factor: number | null };

export function factorText({ price_factor, price_factor_from, next_price_factor }: Factors): string {
  const now = pricesAt(price_factor);
  if (next_price_factor === null || price_factor_from === null) return `${now}.`;
  const day = new Date(price_factor_from * 1000).toISOString().slice(0, 10);
  return `${now}; from ${day} (UTC), ${pricesAt(next_price_factor).toLowerCase()}.`;
}

function pricesAt(factor: number): string {
  if (factor === 0) return "Free of charge";
  return factor === 1 ? "List prices" : `List prices × ${factor}`;
}
