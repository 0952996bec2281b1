/**
 * Codes of vouchers: 16 random symbols (80 bits) and two that check them, in three groups of six.
 *
 *   7K3F9Q-2MX8PA-0C4TZD        symbols: digits and letters without I, L, O and U
 *
 * Read as a number of base 32, the symbols before the check leave a remainder by the prime 1021, which is the check. Every
 * wrong symbol and every swap of neighbours changes it, so that typing errors are found without asking a database.
 */
import { hash, randomBytes } from "node:crypto";

const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM = 16;
const LENGTH = RANDOM + 2;
const PRIME = 1021; // below 32², and larger than any difference of two symbols

const checkOf = (symbols: string): string => {
  let rest = 0;
  for (const symbol of symbols) rest = (rest * SYMBOLS.length + SYMBOLS.indexOf(symbol)) % PRIME;
  return `${SYMBOLS[rest >> 5]}${SYMBOLS[rest & 31]}`;
};

/** `random`: 16 bytes. */
export function newCode(random: Uint8Array = randomBytes(RANDOM)): string {
  const symbols = Array.from(random.subarray(0, RANDOM), (byte) => SYMBOLS[byte & 31]).join("");
  return `${symbols}${checkOf(symbols)}`.match(/.{6}/g)!.join("-");
}

/** As it was made, in whatever case and groups it was typed; null if it cannot be one. */
export function readCode(typed: string): string | null {
  const symbols = typed.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  if (symbols.length !== LENGTH || [...symbols].some((symbol) => !SYMBOLS.includes(symbol))) return null;
  return checkOf(symbols.slice(0, RANDOM)) === symbols.slice(RANDOM) ? symbols : null;
}

/** What is stored of a code. It has too many values to be guessed from this. */
export const hashOf = (symbols: string): string => hash("sha256", symbols);
