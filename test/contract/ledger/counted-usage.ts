/** What every ledger store must count as a request that succeeded, by minute, hour and day, and of which kind. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Dimension, Ledger, UsageQuery, UsageRow } from "../../../src/ledger/ledger.ts";
import type { UsageKind } from "../../../src/usage-kinds.ts";
import { heldClock } from "../../harness.ts";
import { requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function countedUsageContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, what is counted`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    let begun = 0;
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
      begun = now();
    });

    const logged = async (parts: Partial<RequestLog> = {}) => {
      const log = requestOf({ id: newId("req", clock), createdAt: now(), audioSeconds: 1, ...parts });
      await ledger.log(log);
      return log;
    };
    const charged = async (log: RequestLog, parts: Partial<Charge> = {}) => {
      const { organizationId, projectId, keyId, environment, endpoint, id } = log;
      const of = { organizationId, projectId, keyId, environment, endpoint };
      const price = { unit: "character", quantity: 10, priceMicros: 1_000_000, costMicros: 10 } as const;
      const charge = { ...of, ...price, plan: "prepaid", model: log.model ?? "", createdAt: now() } as const;
      await ledger.charge({ ...charge, id: `${id}.0`, requestId: id, ...parts }, log);
    };
    const usage = (parts: Partial<UsageQuery> = {}) =>
      ledger.usage({
        ...{ organizationId: "org", start: begun - DAY, end: now() + 1, bucket: "day" },
        ...{ groupBy: [], filters: {} },
        ...parts,
      });
    const succeeded = async (parts: Partial<UsageQuery> = {}) =>
      (await usage(parts)).reduce((sum, row) => sum + row.succeeded, 0);

    test("a request whose client left is no success, in the sums of all time and of any bucket", async () => {
      await logged();
      await logged({ status: 101, endpoint: "/v1/realtime" });
      await logged({ status: 499 });
      await logged({ status: 499, model: null });
      await logged({ status: 429, errorCode: "rate_limit_exceeded" });
      expect((await ledger.totals("org")).requests).toBe(2);
      for (const bucket of ["minute", "hour", "day"] as const) expect(await succeeded({ bucket })).toBe(2);
    });

    test("requests and amounts are counted for their kind only", async () => {
      const clip = await logged();
      await charged(clip, { quantity: 40 });
      const heard = await logged({ endpoint: "/v1/audio/translations", characters: null });
      await charged(heard, { unit: "second", quantity: 2.5 });
      const talk = await logged({ endpoint: "/v1/realtime", status: 101, characters: null });
      await charged(talk, { unit: "second", quantity: 4 });
      await charged(talk, { id: `${talk.id}.1`, model: "svc-tts1", quantity: 7 });
      await charged(talk, { id: `${talk.id}.2`, model: "llm", unit: "output_token", quantity: 90 });
      await logged({ endpoint: "/v1/audio/voices" });
      const tool = await logged({ endpoint: "/mcp", characters: 3 });
      await charged(tool, { quantity: 3 });
      const listened = await logged({ endpoint: "/mcp", model: "svc-stt1", characters: null });
      await charged(listened, { unit: "second", quantity: 1 });
      for (const bucket of ["minute", "hour", "day"] as const) {
        const of = async (kind: UsageKind) => (await usage({ kind, bucket }))[0]!;
        expect(await of("speech")).toMatchObject({ succeeded: 2, characters: 50 });
        expect(await of("transcription")).toMatchObject({ succeeded: 3, audioSeconds: 7.5 });
        const groups = await usage({ kind: "speech", bucket, groupBy: ["endpoint"] });
        expect(groups.map((row) => row.groups.endpoint).sort()).toEqual([
          ...["/mcp", "/v1/audio/speech", "/v1/realtime"],
        ]);
      }
    });

    test("several values of a filter find the rows of any of them", async () => {
      for (const keyId of ["one", "two", "three", "three"]) await logged({ keyId });
      for (const bucket of ["minute", "hour", "day"] as const) {
        expect(await succeeded({ bucket, filters: { key: ["one", "three"] } })).toBe(3);
        expect(await succeeded({ bucket, filters: { key: ["none"] } })).toBe(0);
        expect(await succeeded({ bucket, filters: { user: ["user_1"] } })).toBe(0);
        const users = await usage({ bucket, groupBy: ["user"] });
        expect(users.map(({ groups, requests }) => [groups, requests])).toEqual([[{ user: "" }, 4]]);
      }
    });

    test("what a session is charged an hour after it began is in the minute of its charge", async () => {
      const session = await logged({ endpoint: "/v1/realtime", status: 101 });
      const first = now();
      clock.pass(3_590_000);
      await charged(session, { unit: "second", quantity: 5 });
      const minutes = await usage({ bucket: "minute", start: first, end: now() + 1 });
      expect(minutes.map(({ start, requests, audioSeconds }) => [start, requests, audioSeconds])).toEqual([
        [first - (first % 60), 1, 0],
        [now() - (now() % 60), 0, 5],
      ]);
      const last = await usage({ bucket: "minute", start: now() - 59, end: now() + 1 });
      expect(last.at(-1)).toMatchObject({ requests: 0, audioSeconds: 5, costMicros: 10 });
    });

    test("minutes, hours and days come to the same sums, whatever they are grouped by", async () => {
      for (let index = 0; index < 60; index++) {
        clock.pass((1 + (index % 9)) * 331_000);
        const speaks = index % 3 > 0;
        const log = await logged({
          ...{ keyId: `key_${index % 4}`, projectId: `proj_${index % 2}` },
          ...{ environment: index % 5 === 0 ? "test" : "live", model: `model_${index % 3}` },
          ...{ endpoint: speaks ? "/v1/audio/speech" : "/v1/audio/transcriptions" },
          status: [200, 200, 499, 400][index % 4]!,
        });
        const unit = speaks ? "character" : "second";
        const plan = index % 7 === 0 ? "unmetered" : "prepaid";
        if (index % 4 !== 3) await charged(log, { unit, plan, quantity: index + 1, costMicros: index });
      }
      const together = (rows: UsageRow[]) =>
        rows.reduce<Record<string, number>>((sums, { start: _start, groups: _groups, ...row }) => {
          for (const [each, value] of Object.entries(row)) sums[each] = (sums[each] ?? 0) + value;
          return sums;
        }, {});
      const groupings: Dimension[][] = [[], ["key"], ["project", "model"], ["user", "endpoint"]];
      groupings.push(["key", "project", "environment", "model", "endpoint"]);
      const units = { speech: "characters", transcription: "audioSeconds" } as const;
      for (const kind of [undefined, "speech", "transcription"] as const) {
        const sums = async (parts: Partial<UsageQuery>) => {
          const all = together(await usage({ ...parts, ...(kind && { kind }) }));
          return kind ? [all.succeeded, all[units[kind]]] : Object.entries(all).sort();
        };
        const expected = await sums({});
        for (const bucket of ["minute", "hour", "day"] as const)
          for (const groupBy of groupings) expect(await sums({ bucket, groupBy })).toEqual(expected);
      }
      expect(together(await usage())).toMatchObject({ succeeded: 30, errors: 15, characters: 900 });
    });
  });
}
