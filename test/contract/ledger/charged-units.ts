/** What every ledger store must do of charges in several units, as a conversation's: each counts in its own sum, at its own price. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SUM_OF, UNITS } from "../../../src/charged-units.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const RUNS = 20;

/** `taken`: how much of it is taken back, as a share; 1: it is voided. */
const drawn = fc.record({
  unit: fc.constantFrom(...UNITS),
  model: fc.constantFrom("svc-stt1", "svc-tts1", "brain"),
  quantity: fc.integer({ min: 1, max: 1000 }),
  costMicros: fc.nat(50),
  taken: fc.constantFrom(0, 0, 0, 0.5, 1),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export function chargedUnitsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, charges in several units`, () => {
    let ledger: Ledger;
    freshLedger(prepare, (fresh) => {
      ({ ledger } = fresh);
    });

    async function book(charge: Charge, taken: number): Promise<void> {
      await ledger.charge(charge, requestFor(charge));
      const { id: chargeId, organizationId, requestId } = charge;
      const part = {
        quantity: Math.floor(charge.quantity / 2),
        costMicros: Math.floor(charge.costMicros / 2),
      };
      if (taken === 1) await ledger.cancel(charge);
      else if (taken > 0) await ledger.refund({ chargeId, organizationId, requestId, ...part });
    }

    /** What is left of it. */
    const leftOf = ({ quantity, costMicros, taken }: Drawn) => ({
      quantity: taken === 1 ? 0 : quantity - (taken > 0 ? Math.floor(quantity / 2) : 0),
      costMicros: taken === 1 ? 0 : costMicros - (taken > 0 ? Math.floor(costMicros / 2) : 0),
    });

    test("of one request come to its sums and its parts, whatever is taken back", async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 8 }), async (all) => {
          const organizationId = `org_${++round}`;
          const requestId = `req_units_${round}`;
          await ledger.grant({ ...grantOf({ amountMicros: 100, id: `grant_${round}` }), organizationId });
          for (const [index, { taken, ...charged }] of all.entries())
            await book(
              { ...chargeOf({ ...charged, requestId, organizationId }), id: `${requestId}.${index}` },
              taken,
            );
          const costMicros = all.reduce((sum, one) => sum + leftOf(one).costMicros, 0);
          const row = requestFor(chargeOf({ requestId, organizationId, costMicros }));
          await ledger.log(row);
          const totals = await ledger.totals(organizationId);
          for (const sum of new Set(Object.values(SUM_OF))) {
            const counted = all.filter(({ unit }) => SUM_OF[unit] === sum);
            expect(totals[sum]).toBe(counted.reduce((total, one) => total + leftOf(one).quantity, 0));
          }
          const { payment } = (await ledger.request(organizationId, requestId))!;
          for (const part of payment.parts) {
            const alike = all.filter(({ unit, model }) => unit === part.unit && model === part.model);
            const sum = (of: "quantity" | "costMicros") =>
              alike.reduce((total, one) => total + leftOf(one)[of], 0);
            expect([part.quantity, part.costMicros]).toEqual([sum("quantity"), sum("costMicros")]);
          }
          const [units, parts] = [new Set(all.map(({ unit }) => unit)), payment.parts];
          expect(payment.unit).toBe(units.size === 1 ? all[0]!.unit : null);
          expect(payment.quantity).toBe(
            units.size === 1 ? parts.reduce((sum, { quantity }) => sum + quantity, 0) : 0,
          );
        }),
        { numRuns: RUNS },
      );
    });
  });
}
