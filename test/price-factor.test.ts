/** Promise: prices are multiplied exactly, rounded up to whole micros, and a factor holds from the second that it names. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { chargedPrice, factorAt, factorIn, fromFault } from "../src/plans.ts";
import { factorText } from "../src/web/format/price-factor.ts";

test("a price times a factor is rounded up, never by more than a micro, as integers have it", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.nat(100_000), (price, factor) => {
      const exact = BigInt(price) * BigInt(factor);
      expect(BigInt(chargedPrice(price, factor))).toBe((exact + 9999n) / 10_000n);
    }),
  );
});

test("every factor with four decimals from 0 to 10 is read as it is written", () => {
  for (let units = 0; units <= 100_000; units++) {
    if (factorIn(units / 10_000) !== units || factorIn(Number((units / 10_000).toFixed(4))) !== units)
      throw new Error(`${units} is read as ${factorIn(units / 10_000)}`);
  }
  for (const wrong of [-0.0001, 10.0001, 0.00001, 1.23456, Number.NaN, Number.POSITIVE_INFINITY])
    expect(factorIn(wrong)).toBeNull();
});

test("a factor holds from its second on, for prepaid organizations", () => {
  const dated = { priceFactor: 5000, priceFactorFrom: 100, priceFactorBefore: 8000 };
  const at = (now: number, plan: "prepaid" | "unmetered" = "prepaid") => factorAt({ ...dated, plan }, now);
  expect([at(99), at(100), at(99, "unmetered")]).toEqual([8000, 5000, 10_000]);
  expect(factorAt({ ...dated, priceFactorFrom: null, plan: "prepaid" }, 0)).toBe(5000);
});

test("a day lies in the future, and within a year", () => {
  expect([fromFault(10, 10), fromFault(9, 10), fromFault(400 * 86_400, 10)]).not.toContain(null);
  expect(fromFault(11, 10)).toBeNull();
});

test("pages say what is paid now, and what from a day on", () => {
  const at = (price_factor: number, next_price_factor: number | null = null) =>
    factorText({ price_factor, next_price_factor, price_factor_from: Date.UTC(2026, 11, 1) / 1000 });
  expect(at(1)).toBe("List prices.");
  expect(at(0.85, 0)).toBe("List prices × 0.85; from 2026-12-01 (UTC), free of charge.");
});
