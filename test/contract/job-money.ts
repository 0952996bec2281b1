/** What jobs may cost on every database: nothing beyond credit and budgets, once, and never what is not delivered. */
import { describe, expect, test } from "bun:test";
import { differencesOf } from "../../src/ledger/verify.ts";
import { asked, askedSpeech, holding, type JobNode, type Principal } from "../jobs/job-node.ts";
import { until } from "../until.ts";
import { type FreshJobs, freshJobs, type JobPlace, SHORT } from "./fresh-jobs.ts";

const TEXT = "It is read aloud.";

const bought = (organizationId: string) =>
  ({
    ...{ id: "grant_bought", kind: "purchase" as const, organizationId, amountMicros: 5_000_000 },
    ...{ createdAt: 0, expiresAt: null, topUpId: null },
  }) as const;

export function jobMoneyContract(store: string, prepare: () => Promise<JobPlace>) {
  describe(`${store}, money of jobs`, () => {
    let clock: FreshJobs["clock"];
    let open: FreshJobs["open"];
    let node: FreshJobs["node"];
    let principal: FreshJobs["principal"];
    let make: FreshJobs["make"];
    let found: FreshJobs["found"];
    let status: FreshJobs["status"];
    let charges: FreshJobs["charges"];
    let later: FreshJobs["later"];
    freshJobs(prepare, (fresh) => {
      ({ clock, open, node, principal, make } = fresh);
      ({ found, status, charges, later } = fresh);
    });

    test("a job that is recognized is charged, however late it is cancelled", async () => {
      const id = await make();
      let late: string | null = null;
      const { ledger } = node;
      const charge = ledger.charge;
      ledger.charge = async (...rest) => {
        late ??= (await node.jobs.cancel(await found(id))).row.status;
        return charge.call(ledger, ...rest);
      };
      await node.work.run();
      ledger.charge = charge;
      expect([late, await status(id)]).toEqual(["in_progress", "completed"]);
      expect(await charges()).toHaveLength(1);
    });

    test("of two jobs that credit suffices for one of, one fails before it is recognized", async () => {
      const { database, ledger } = node;
      await database.query.delete(database.tables.creditGrant);
      await ledger.grant(bought(principal.organizationId));
      const priceMicros = 1_650_000_000_000; // two seconds are $3.30
      const { engine, begun } = holding();
      const other = await open(engine);
      node.work.drain();
      const made = async () =>
        (await other.jobs.create(principal, asked(clock, { bytes: SHORT }, { priceMicros }))).row.id;
      const ids = [await made(), await made()];
      const rows = () => Promise.all(ids.map(async (id) => (await found(id)).row));
      const running = other.work.run();
      const failed = await until(async () => (await rows()).find((row) => row.status === "failed"));
      expect(failed).toMatchObject({ errorCode: "insufficient_credits", costMicros: 0 });
      await until(() => begun() === 1);
      other.work.drain();
      await running;
      await (await open()).work.run();
      expect((await rows()).map((row) => row.status).toSorted()).toEqual(["completed", "failed"]);
      expect(await charges()).toMatchObject([{ costMicros: 3_300_000 }]);
    });

    test("the budget of a key is not used up by what jobs of other keys will cost", async () => {
      const priceMicros = 500_000_000_000; // two seconds are $1
      const { accounts, ledger } = node;
      await ledger.grant(bought(principal.organizationId)); // two jobs run at once
      const budget = { limit_micros: 1_500_000, interval: "total" as const };
      const { projectId } = principal;
      const key = { projectId, name: "a", environment: "live", expiresAt: null } as const;
      const made = await accounts.createKey({ ...key, scopes: ["transcription:create"] });
      await accounts.updateKey(made.id, { restrictions: { budget } });
      const limited = await accounts.principalOfStarter(made.id);
      const { engine, begun } = holding();
      const other = await open(engine);
      node.work.drain();
      const job = async (by: JobNode, who: Principal) =>
        (await by.jobs.create(who, asked(clock, { bytes: SHORT }, { priceMicros }))).row.id;
      const first = await job(other, principal);
      const running = other.work.run();
      await until(() => begun() === 1);
      const last = await open();
      const within = await job(node, limited);
      await last.work.run();
      expect((await found(within)).row).toMatchObject({ status: "completed", costMicros: 1_000_000 });
      const beyond = await job(node, limited);
      await last.work.run();
      expect((await found(beyond)).row).toMatchObject({ status: "failed", errorCode: "key_budget_reached" });
      other.work.drain();
      await running;
      await last.work.run();
      expect(await status(first)).toBe("completed");
    });

    test.each([
      [5_000, 100],
      [0, 0],
      [12_345, 247], // rounded up to whole micros
    ])(
      "jobs cost list prices times the factor of %d ten-thousandths that held when they began",
      async (factor, micros) => {
        const { accounts, ledger } = node;
        await accounts.setPriceFactor(principal.organizationId, factor, null);
        const paying = await accounts.principalOfStarter(principal.keyId);
        const { row } = await node.jobs.create(paying, asked(clock, { bytes: SHORT }));
        const spoken = await node.speechJobs.create(paying, askedSpeech(clock, [TEXT]));
        await accounts.setPriceFactor(principal.organizationId, 10_000, null);
        await node.work.run();
        expect((await found(row.id)).row).toMatchObject({ status: "completed", costMicros: micros });
        const speech = Math.ceil(Number(((TEXT.length * factor) / 100).toFixed(6)));
        expect((await found(spoken.row.id)).row).toMatchObject({ status: "completed", costMicros: speech });
        const differences = differencesOf(await ledger.audit());
        expect(differences.filter(({ what }) => what !== "not logged")).toEqual([]); // no requests made them
      },
    );

    test("a text is refused by what it will cost its organization, not by its list price", async () => {
      const { accounts, database, ledger } = node;
      await database.query.delete(database.tables.creditGrant);
      const costMicros = TEXT.length * 100;
      await ledger.grant({ ...bought(principal.organizationId), amountMicros: costMicros });
      const ask = async (factor: number) => {
        await accounts.setPriceFactor(principal.organizationId, factor, null);
        const paying = await accounts.principalOfStarter(principal.keyId);
        return node.speechJobs.create(paying, askedSpeech(clock, [TEXT]));
      };
      await expect(ask(10_001)).rejects.toMatchObject({ code: "insufficient_credits" });
      const { row } = await ask(10_000);
      await node.work.run();
      expect((await found(row.id)).row).toMatchObject({ status: "completed", costMicros });
    });

    test("a job that is recognized is charged also while its organization is suspended", async () => {
      const { ledger, database } = node;
      const { query, tables } = database;
      const id = await make();
      const charge = ledger.charge;
      ledger.charge = async () => {
        await query.update(tables.organization).set({ status: "suspended" });
        throw new Error("the ledger does not answer");
      };
      await node.work.run();
      expect((await found(id)).row).toMatchObject({ status: "in_progress", isRecognized: true });
      ledger.charge = charge;
      later(200_000);
      await node.work.run();
      expect([await status(id), (await charges()).length]).toEqual(["completed", 1]);
    });
  });
}
