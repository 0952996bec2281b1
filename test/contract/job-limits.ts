/** What limits jobs on every database: how many wait and run, and how long a recording may last. */
import { describe, expect, test } from "bun:test";
import { holding, recordingOf } from "../jobs/job-node.ts";
import { quietFor, until } from "../until.ts";
import { type FreshJobs, freshJobs, type JobPlace } from "./fresh-jobs.ts";

export function jobLimitContract(store: string, prepare: () => Promise<JobPlace>) {
  describe(`${store}, limits of jobs`, () => {
    let open: FreshJobs["open"];
    let node: FreshJobs["node"];
    let principal: FreshJobs["principal"];
    let make: FreshJobs["make"];
    let found: FreshJobs["found"];
    let charges: FreshJobs["charges"];
    let contents: FreshJobs["contents"];
    freshJobs(prepare, (fresh) => {
      ({ open, node, principal, make, found, charges, contents } = fresh);
    });

    test("no more jobs wait than an organization may have", async () => {
      const { engine } = holding();
      const busy = await open(engine);
      node.work.drain();
      busy.work.drain();
      for (let count = 0; count < 5; count++) await make();
      const refusal = make();
      await expect(refusal).rejects.toMatchObject({ code: "too_many_jobs" });
      await expect(refusal).rejects.toThrow("5 jobs");
      expect(await contents()).toBe(5);
    });

    test("jobs keep to the limits that an operator has set", async () => {
      const { engine, begun } = holding();
      node.work.drain();
      const limitOverrides = { waitingJobs: 3, runningJobs: 3, jobSeconds: 10 };
      await node.accounts.setLimits(principal.organizationId, limitOverrides);
      const limited = { ...principal, limitOverrides };
      for (let count = 0; count < 3; count++) await make(node, limited);
      await expect(make(node, limited)).rejects.toThrow("3 jobs that wait");
      const busy = await open(engine);
      const running = busy.work.run();
      await until(() => begun() === 3);
      busy.work.drain();
      await running;
      const free = await open();
      await free.work.run();
      const long = await make(free, limited, { bytes: recordingOf(11) });
      await free.work.run();
      const { errorCode, errorMessage } = (await found(long)).row;
      expect([errorCode, errorMessage]).toEqual(["audio_too_long", expect.stringContaining("10 seconds")]);
    });

    test("of an unmetered organization, as many jobs run as the server has threads", async () => {
      const { engine, begun } = holding();
      node.work.drain();
      const threaded = await open(engine, { LOQUAT_THREADS: "5" });
      for (let count = 0; count < 6; count++) await make(threaded, { ...principal, plan: "unmetered" });
      const running = threaded.work.run();
      await until(() => begun() === 5);
      await quietFor(100);
      expect(begun()).toBe(5);
      threaded.work.drain();
      await running;
    });

    test("a recording that is no audio or too long fails its job at once", async () => {
      const wrong = await make(node, principal, { bytes: Buffer.from("this is no recording at all") });
      await node.work.run();
      expect((await found(wrong)).row).toMatchObject({ status: "failed", errorCode: "invalid_audio" });
      const strict = await open(undefined, { LOQUAT_JOB_HOURS: "1" });
      const long = await make(strict, principal, { bytes: recordingOf(3601) });
      node.work.drain();
      await strict.work.run();
      expect((await found(long)).row).toMatchObject({ status: "failed", errorCode: "audio_too_long" });
      expect([await charges(), await contents()]).toEqual([[], 0]);
    });
  });
}
