/** Promise: a typing error in a voucher code is found without a database. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { newCode, readCode } from "../../src/billing/vouchers.ts";

const SYMBOLS = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
const codes = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => newCode(bytes));

test("a code is read in any case and grouping, and with O, I and L for digits", () => {
  fc.assert(
    fc.property(codes, (code) => {
      const symbols = code.replaceAll("-", "");
      expect(readCode(code)).toBe(symbols);
      expect(readCode(` ${symbols.toLowerCase().match(/.{3}/g)!.join(" ")} `)).toBe(symbols);
      expect(readCode(code.replaceAll("0", "O").replaceAll("1", "l"))).toBe(symbols);
    }),
  );
});

test("one wrong symbol or two neighbours swapped is no code", () => {
  fc.assert(
    fc.property(codes, fc.nat(17), fc.constantFrom(...SYMBOLS), (code, at, symbol) => {
      const symbols = [...code.replaceAll("-", "")];
      const wrong = symbols.with(at, symbol);
      if (symbols[at] !== symbol) expect(readCode(wrong.join(""))).toBeNull();
      const [one, two] = [symbols[at % 15]!, symbols[(at % 15) + 1]!];
      const swapped = symbols.with(at % 15, two).with((at % 15) + 1, one);
      if (one !== two) expect(readCode(swapped.join(""))).toBeNull();
    }),
  );
});

test("anything else is no code", () => {
  for (const typed of ["", "7K3F9Q", "7K3F9Q-2MX8PA-0C4TZU", `${newCode()}0`, "\0".repeat(18)])
    expect(readCode(typed)).toBeNull();
});
