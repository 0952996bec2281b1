/** What every ledger store must do where a request ends after its charge. */
import { describe, expect, test } from "bun:test";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { chargeOf, requestFor } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

export function requestLogsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, requests that end after their charge`, () => {
    let ledger: Ledger;
    freshLedger(prepare, (fresh) => {
      ({ ledger } = fresh);
    });

    const charged = async () => {
      const charge = chargeOf({ costMicros: 10 });
      const log = requestFor(charge);
      await ledger.charge(charge, log);
      return log;
    };
    const [durationMs, firstByteMs, audioSeconds] = [70, 60, 1.25];

    test("have their durations, and are counted once", async () => {
      const log = await charged();
      const ended = { ...log, durationMs, firstByteMs, audioSeconds };
      await ledger.log(ended, log);
      expect(await ledger.request("org", log.id)).toMatchObject(ended);
      const silent = { ...ended, firstByteMs: null, audioSeconds: null };
      await ledger.log(silent, ended);
      expect(await ledger.request("org", log.id)).toMatchObject(silent);
      expect(await ledger.totals("org")).toMatchObject({ requests: 1, costMicros: 10 });
    });

    test("have the status that they end with", async () => {
      const log = await charged();
      const broken = { ...log, durationMs, status: 502, errorCode: "stream_interrupted" };
      await ledger.log(broken, log);
      expect(await ledger.request("org", log.id)).toMatchObject(broken);
    });

    test("keep their durations where a charge is voided or refunded with their end", async () => {
      const [voided, refunded] = [await charged(), await charged()];
      const ended = [voided, refunded].map((log) => ledger.log({ ...log, durationMs, firstByteMs }, log));
      await Promise.all([
        ...ended,
        ledger.cancel(chargeOf({ requestId: voided.id, costMicros: 10 })),
        ledger.refund({
          ...{ chargeId: `${refunded.id}.0`, organizationId: "org", requestId: refunded.id },
          ...{ quantity: 4, costMicros: 4 },
        }),
      ]);
      expect(await ledger.request("org", voided.id)).toMatchObject({
        durationMs,
        firstByteMs,
        costMicros: 0,
      });
      expect(await ledger.request("org", refunded.id)).toMatchObject({
        ...{ durationMs, firstByteMs },
        costMicros: 6,
      });
    });

    test("are not written where their row is missing", async () => {
      const log = requestFor(chargeOf());
      await ledger.log({ ...log, durationMs }, log);
      expect(await ledger.request("org", log.id)).toBeNull();
    });
  });
}
