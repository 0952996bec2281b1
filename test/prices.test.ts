/** Promise: of the prices that were set for a model the latest one that has begun holds, from its second on. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { readConfig } from "../src/config/config.ts";
import { buildCatalogue } from "../src/models/catalogue.ts";
import { liveCatalogue } from "../src/models/live-catalogue.ts";
import { readManifests } from "../src/models/manifest.ts";
import { type Price, pricesAt } from "../src/models/prices.ts";
import { heldClock } from "./harness.ts";

const price = (model: string, validFrom: number, micros: number): Price => ({
  ...{ model, validFrom, micros, backgroundMicros: null, createdAt: 0 },
});

test("any prices at any time: what holds began last, what is next begins first, and nothing changes until then", () => {
  const some = fc.uniqueArray(
    fc.record({ model: fc.constantFrom("a", "b"), at: fc.nat(50), micros: fc.nat(9) }),
    { selector: ({ model, at }) => `${model} ${at}` },
  );
  fc.assert(
    fc.property(some, fc.nat(60), (drawn, now) => {
      const prices = drawn.map(({ model, at, micros }) => price(model, at, micros));
      const held = pricesAt(prices, now);
      for (const model of ["a", "b"]) {
        const own = prices.filter((each) => each.model === model);
        const begun = own.filter(({ validFrom }) => validFrom <= now);
        const later = own.filter(({ validFrom }) => validFrom > now);
        const times = (of: Price[]) => of.map(({ validFrom }) => validFrom);
        const { current = null, next = null } = held.of.get(model) ?? {};
        expect(current?.validFrom ?? -1).toBe(Math.max(-1, ...times(begun)));
        expect(next?.validFrom ?? 99).toBe(Math.min(99, ...times(later)));
      }
      const currents = (at: number) => [...pricesAt(prices, at).of].map(([name, of]) => [name, of.current]);
      if (held.until !== Number.POSITIVE_INFINITY) expect(currents(held.until - 1)).toEqual(currents(now));
    }),
  );
});

test("a catalogue that is read has the price of that second, and no other model changes", () => {
  const { folder } = readConfig({}).models;
  const clock = heldClock();
  const now = Math.floor(clock.now() / 1000);
  let prices: Price[] = [];
  const build = () => buildCatalogue(readManifests(folder), (engine) => engine === "flite");
  const catalogue = liveCatalogue(build, { clock, current: () => prices });
  const priceOf = (id: string) => catalogue.find(id)?.manifest.price_micros;
  const [shipped, other] = [priceOf("svc-tts1"), priceOf("svc-stt1")];
  const before = catalogue.entries;
  expect(catalogue.entries).toBe(before);
  prices = [price("svc-tts1", now + 60, 7)];
  expect(priceOf("svc-tts1")).toBe(shipped);
  expect(catalogue.find("svc-tts1")?.nextPrice?.micros).toBe(7);
  clock.pass(59_999);
  expect(priceOf("svc-tts1")).toBe(shipped);
  clock.pass(1);
  const entry = catalogue.find("svc-tts1")!;
  expect(entry.manifest).toMatchObject({ price_micros: 7, background_price_micros: 7 });
  expect(entry.version?.price_micros).toBe(7);
  expect(entry).not.toHaveProperty("nextPrice");
  expect(priceOf("svc-stt1")).toBe(other);
  expect(catalogue.entries.find(({ id }) => id === "svc-tts1")).toBe(entry);
  catalogue.refresh();
  expect(priceOf("svc-tts1")).toBe(7);
  prices = [];
  expect(priceOf("svc-tts1")).toBe(shipped);
});
