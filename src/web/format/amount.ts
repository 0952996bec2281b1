/** Converts typed dollars to micros and back, exactly: no fraction is ever computed in floating point. */

const MICROS_PER_DOLLAR = 1_000_000;
const MICROS_PER_CENT = 10_000;
const AMOUNT = /^\$?\s*(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})?(?:\.(\d{0,6}))?$/;

/** "12.5", "$1,000" or ".05" in micros; null for anything else, and for fractions of a micro. */
export function microsOf(text: string): number | null {
  const match = AMOUNT.exec(text.trim());
  if (!match) return null;
  const [, dollars = "", fraction = ""] = match;
  if (dollars === "" && fraction === "") return null;
  return Number(dollars.replaceAll(",", "")) * MICROS_PER_DOLLAR + Number(fraction.padEnd(6, "0"));
}

/** The inverse of `microsOf` for amounts that are not negative: two decimals, more only if needed. */
export function dollarsOf(micros: number): string {
  const fraction = String(micros % MICROS_PER_DOLLAR).padStart(6, "0");
  const decimals = fraction.slice(0, 2) + fraction.slice(2).replace(/(?<!0)0+$/, "");
  return `${Math.floor(micros / MICROS_PER_DOLLAR)}.${decimals}`;
}

type Bounds = { minMicros?: number; maxMicros?: number; wholeCents?: boolean };

/** The validation error of a typed amount; null for a valid one. */
export function problemOf(
  text: string,
  { minMicros = 0, maxMicros, wholeCents = false }: Bounds,
): string | null {
  const micros = microsOf(text);
  if (micros === null) return "Enter an amount in dollars, such as 25 or 12.50.";
  if (wholeCents && micros % MICROS_PER_CENT !== 0) return "Enter whole cents, such as 12.50.";
  if (micros < minMicros) return `Enter at least $${dollarsOf(minMicros)}.`;
  if (maxMicros !== undefined && micros > maxMicros) return `Enter at most $${dollarsOf(maxMicros)}.`;
  return null;
}
