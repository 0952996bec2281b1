/** What jobs must do on every database and with several nodes: each ends once, is charged once, and leaves nothing it should not. */
import { describe, expect, test } from "bun:test";
import { holding, PRICE_MICROS, type Principal, tellingEngine, textOf } from "../jobs/job-node.ts";
import { until } from "../until.ts";
import { type FreshJobs, freshJobs, type JobPlace, SHORT } from "./fresh-jobs.ts";

const DAY_MS = 86_400_000;
const SHORT_MICROS = (2 * PRICE_MICROS) / 1e6;

export function jobContract(store: string, prepare: () => Promise<JobPlace>) {
  describe(`${store}, jobs`, () => {
    let open: FreshJobs["open"];
    let node: FreshJobs["node"];
    let principal: FreshJobs["principal"];
    let create: FreshJobs["create"];
    let make: FreshJobs["make"];
    let found: FreshJobs["found"];
    let status: FreshJobs["status"];
    let charges: FreshJobs["charges"];
    let events: FreshJobs["events"];
    let contents: FreshJobs["contents"];
    let parts: FreshJobs["parts"];
    let later: FreshJobs["later"];
    freshJobs(prepare, (fresh) => {
      ({ open, node, principal, create, make, found, status } = fresh);
      ({ charges, events, contents, parts, later } = fresh);
    });

    test("a job is done, charged once, told of, and leaves its result alone", async () => {
      const created = await create();
      const { id } = created.row;
      expect(created).toMatchObject({ position: 1, row: { status: "queued", bytes: SHORT.length } });
      await node.work.run();
      expect(await found(id)).toMatchObject({
        position: null,
        row: { status: "completed", samples: 32_000 },
      });
      expect((await found(id)).row.costMicros).toBe(SHORT_MICROS);
      expect(await charges()).toMatchObject([{ id, costMicros: SHORT_MICROS, quantity: 2, unit: "second" }]);
      expect(await events()).toEqual(["audio.job.completed"]);
      expect(await textOf(node, principal, id)).toStartWith("32000 ");
      expect(await contents()).toBe(0);
      expect(await parts(id)).toBe(1);
    });

    test("two nodes do many jobs, each of them once", async () => {
      const other = await open();
      const ids: string[] = [];
      for (let count = 0; count < 6; count++) ids.push(await make(count % 2 ? node : other));
      for (let turn = 0; turn < 8; turn++) await Promise.all([node.work.run(), other.work.run()]);
      for (const id of ids) expect(await status(id)).toBe("completed");
      expect((await charges()).map(({ id }) => id).toSorted()).toEqual(ids);
    });

    test("a project lists its own jobs by pages and status, and sees no others", async () => {
      node.work.drain();
      const [first, second] = [await make(), await make()];
      const queued = (position: number) => ({ position, row: { status: "queued", bytes: SHORT.length } });
      expect(await found(first)).toMatchObject(queued(1));
      expect(await found(second)).toMatchObject(queued(2));
      const { accounts } = node;
      const theirs = await accounts.createOrganization("Theirs");
      const project = await accounts.createProject(theirs.id, "Other");
      const scopes = ["transcription:create" as const];
      const key = { projectId: project.id, name: "a", environment: "live", scopes, expiresAt: null } as const;
      const other = await accounts.principalOfStarter((await accounts.createKey(key)).id);
      await node.jobs.cancel(await found(first));
      expect(await found(second)).toMatchObject(queued(1));
      const list = async (who: Principal, more: object = {}) =>
        (await node.jobs.list(who, { status: null, after: null, limit: 10, ...more })).map(
          ({ row }) => row.id,
        );
      expect(await list(principal)).toEqual([second, first]);
      expect(await list(principal, { after: second })).toEqual([first]);
      expect(await list(principal, { status: "cancelled" })).toEqual([first]);
      expect(await list(other)).toEqual([]);
      expect(await node.jobs.find(other, first)).toBeNull();
    });

    test("a job that waits is cancelled, costs nothing, and keeps nothing", async () => {
      node.work.drain();
      const id = await make();
      expect((await node.jobs.cancel(await found(id))).row.status).toBe("cancelled");
      await (await open()).work.run();
      expect(await status(id)).toBe("cancelled");
      expect((await node.jobs.cancel(await found(id))).row.status).toBe("cancelled");
      expect([await charges(), await contents(), await parts(id)]).toEqual([[], 0, 0]);
      expect(await events()).toEqual(["audio.job.cancelled"]);
    });

    test("a job that another node does stops within a second once it is cancelled", async () => {
      const { engine, begun } = holding();
      node.work.drain();
      const other = await open(engine);
      const id = await make(other);
      const running = other.work.run();
      await until(() => begun() === 1);
      expect(await status(id)).toBe("in_progress");
      const begunMs = performance.now();
      await node.jobs.cancel(await found(id));
      await running;
      expect(performance.now() - begunMs).toBeLessThan(1000);
      expect([await status(id), await charges(), await contents()]).toEqual(["cancelled", [], 0]);
    });

    test("a node that stops gives its job back at once, and another one does it", async () => {
      const { engine, begun } = holding();
      node.work.drain();
      const stopping = await open(engine);
      const id = await make(stopping);
      const running = stopping.work.run();
      await until(() => begun() === 1);
      stopping.work.drain();
      await running;
      await (await open()).work.run();
      expect(await status(id)).toBe("completed");
      expect(stopping.logged.map(({ event }) => event)).not.toContain("job_failed");
    });

    test("a recording that two nodes fetch is stored once", async () => {
      node.work.drain();
      const { query, tables } = node.database;
      const id = await make();
      await query.update(tables.job).set({ bytes: null }); // as one that is fetched
      const fetched = async () => {
        const content = {
          ownerId: id,
          announcedBytes: 4,
          bytesMax: 4,
          tooLarge: () => new Error("too large"),
        };
        const incoming = await node.files.receiveContent(principal, content as never);
        await incoming.write(Buffer.from("four"));
        await incoming.end();
        return node.rows.received(id, { id: incoming.partId, bytes: 4 });
      };
      expect([await fetched(), await fetched()]).toEqual([true, false]);
    });

    test("a file is not deleted while a job reads it, nor by its expiry", async () => {
      node.work.drain(); // it may look for jobs at any time
      await using incoming = await node.files.files.receive(principal, SHORT.length);
      await incoming.write(SHORT);
      const file = await incoming.finish({ purpose: "user_data", filename: "a.wav", keptSeconds: 3600 });
      const id = await make(node, principal, { fileId: file.id });
      await expect(node.files.files.remove(file)).rejects.toMatchObject({ code: "file_in_use" });
      later(2 * 3_600_000);
      expect(await contents()).toBe(1);
      await (await open()).work.run();
      expect(await status(id)).toBe("completed");
      expect(await contents()).toBe(0);
      await expect(make(node, principal, { fileId: file.id })).rejects.toMatchObject({ code: "not_found" });
    });

    test("what is deleted is gone at once, also while it is done", async () => {
      const { engine, begun } = holding();
      const done = await make();
      await node.work.run();
      node.work.drain();
      const other = await open(engine);
      const running = await make(other);
      const work = other.work.run();
      await until(() => begun() === 1);
      for (const id of [done, running]) expect(await node.jobs.remove(await found(id))).toBe(true);
      await work;
      for (const id of [done, running]) expect(await node.jobs.find(principal, id)).toBeNull();
      expect([await contents(), await parts(done), await parts(running)]).toEqual([0, 0, 0]);
      expect((await charges()).map(({ id }) => id)).toEqual([done]);
    });

    test("a result is deleted a week after its job was completed, and the row months later", async () => {
      const id = await make();
      await node.work.run();
      later(7 * DAY_MS - 1000);
      await node.cleanJobs();
      expect(await textOf(node, principal, id)).not.toBe("");
      later(1000);
      await expect(textOf(node, principal, id)).rejects.toMatchObject({ code: "not_found" });
      await node.cleanJobs();
      expect([await status(id), await parts(id)]).toEqual(["expired", 0]);
      later(84 * DAY_MS);
      await node.cleanJobs();
      expect(await node.jobs.find(principal, id)).toBeNull();
    });

    test("with zero data retention, a result is read once", async () => {
      const zero = {
        ...principal,
        redaction: { addresses: "full", isZero: true, endUserKey: null } as const,
      };
      const id = await make(node, zero);
      await node.work.run();
      expect(await textOf(node, principal, id)).not.toBe("");
      await expect(textOf(node, principal, id)).rejects.toMatchObject({ code: "not_found" });
      expect([await status(id), await parts(id)]).toEqual(["expired", 0]);
    });

    test("a result is kept as long as its organization chooses, or until it is read", async () => {
      const { organizationId } = principal;
      const done = async (jobResultDays: number) => {
        await node.accounts.setRetention(organizationId, { jobResultDays });
        const id = await make();
        await node.work.run();
        return id;
      };
      const long = await done(30);
      const { completedAt, expiresAt } = (await found(long)).row;
      expect(expiresAt! - completedAt!).toBe((30 * DAY_MS) / 1000);
      const once = await done(0);
      const unread = await done(0);
      expect(await textOf(node, principal, once)).not.toBe("");
      await expect(textOf(node, principal, once)).rejects.toMatchObject({ code: "not_found" });
      expect([await status(once), await parts(once)]).toEqual(["expired", 0]);
      later(DAY_MS + 1000);
      await node.cleanJobs();
      expect([await status(unread), await status(long)]).toEqual(["expired", "completed"]);
    });

    test("the metrics tell how many jobs wait, how long, and what has become of the others", async () => {
      const { engine, begun } = holding();
      const once: typeof engine = {
        run: (task, options) => (begun() === 0 ? engine : tellingEngine).run(task, options),
      };
      node.work.drain();
      const other = await open(once);
      const series = async (...names: string[]) => {
        await other.countJobs();
        const lines = (await other.metrics.text()).split("\n");
        return names.map((name) =>
          lines
            .find((line) => line.startsWith(`${name} `))
            ?.split(" ")
            .at(-1),
        );
      };
      const states = ["queued", "in_progress"].map((state) => `loquat_jobs{state="${state}"}`);
      const oldest = "loquat_job_oldest_wait_seconds";
      expect(await series(...states, oldest)).toEqual(["0", "0", "0"]);
      const held = await make(other);
      const running = other.work.run();
      await until(() => begun() === 1);
      const waiting = await make(other);
      later(20_000);
      expect(await series(...states)).toEqual(["1", "1"]);
      expect(Number((await series(oldest))[0])).toBeWithin(20, 22);
      await other.jobs.cancel(await found(held));
      await running;
      await until(async () => {
        await other.work.run();
        return (await status(waiting)) === "completed";
      });
      const ends = ["completed", "cancelled"].map((end) => `loquat_jobs_ended_total{status="${end}"}`);
      expect(await series(...states, oldest, ...ends)).toEqual(["0", "0", "0", "1", "1"]);
      const counts = ["loquat_job_audio_seconds_total", "loquat_job_wait_seconds_count"];
      expect(await series(...counts)).toEqual(["2", "2"]);
      expect(Number((await series("loquat_job_wait_seconds_sum"))[0])).toBeWithin(20, 22);
    });

    test("an engine that fails is tried three times", async () => {
      let runs = 0;
      const failing = await open({
        run: () => {
          runs++;
          return Promise.reject(new Error("out of order"));
        },
      });
      node.work.drain();
      const id = await make(failing);
      for (let attempt = 0; attempt < 5; attempt++) {
        await failing.work.run();
        later(200_000);
      }
      expect(runs).toBe(3);
      expect((await found(id)).row).toMatchObject({ status: "failed", errorCode: "transcription_failed" });
      expect(await charges()).toEqual([]);
    });
  });
}
