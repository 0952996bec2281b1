/** Dollars as people type them, and micros as they are kept: exact both ways, for no fraction is ever computed with. */

const MICROS_PER_DOLLAR = 1_000_000;
const MICROS_PER_CENT = 10_000;
const TYPED = /^\$?\s*(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})?(?:\.(\d{0,6}))?$/;

/** "12.5", "$1,000" or ".05" in micros; null for what is no amount, or finer than a micro. */
export function microsOf(text: string): number | null {
  const typed = TYPED.exec(text.trim());
  if (!typed) return null;
  const [, dollars = "", fraction = ""] = typed;
  if (dollars === "" && fraction === "") return null;
  return Number(dollars.replaceAll(",", "")) * MICROS_PER_DOLLAR + Number(fraction.padEnd(6, "0"));
}

/** Micros, not negative, as `microsOf` reads them: at least cents, and no zeros after those. */
export function dollarsOf(micros: number): string {
  const fraction = String(micros % MICROS_PER_DOLLAR).padStart(6, "0");
  const shown = fraction.slice(0, 2) + fraction.slice(2).replace(/(?<!0)0+$/, "");
  return `${Math.floor(micros / MICROS_PER_DOLLAR)}.${shown}`;
}

type Bounds = { least?: number; most?: number; wholeCents?: boolean };

/** What is wrong with what was typed, in words; null where nothing is. */
export function problemOf(text: string, { least = 0, most, wholeCents = false }: Bounds): string | null {
  const micros = microsOf(text);
  if (micros === null) return "Type dollars, as 25 or 12.50.";
  if (wholeCents && micros % MICROS_PER_CENT !== 0) return "Type whole cents, as 12.50.";
  if (micros < least) return `At least $${dollarsOf(least)}.`;
  if (most !== undefined && micros > most) return `At most $${dollarsOf(most)}.`;
  return null;
}
