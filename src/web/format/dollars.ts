/** Amounts of money in micros, as text: every page shows US dollars, as its language writes them. */
import { LOCALE } from "../language/chosen.ts";

/** Micros as US dollars, with as many decimals as needed: fractions of a cent are not rounded away. */
export function money(micros: number): string {
  const dollars = micros / 1e6;
  return dollars.toLocaleString(LOCALE, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: decimalsOf(micros),
  });
}

function decimalsOf(micros: number): number {
  if (micros % 10_000 === 0) return 2;
  return micros % 100 === 0 ? 4 : 6;
}

const CENT = 10_000;

/** For headlines: whole cents, rounded down so that a balance is never overstated. */
export function cents(micros: number): string {
  if (micros > 0 && micros < CENT) return `< ${money(CENT)}`;
  return money(Math.floor(micros / CENT) * CENT);
}

/** For rows: at most four decimals. */
export function amount(micros: number): string {
  if (micros > 0 && micros < 50) return `< ${amount(100)}`;
  const isWhole = micros % CENT === 0;
  return (micros / 1e6).toLocaleString(LOCALE, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: isWhole ? 2 : 4,
    maximumFractionDigits: isWhole ? 2 : 4,
  });
}
