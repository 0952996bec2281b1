/** A process that makes and does one job, and kills itself at the step that its arguments name. */
import { readFileSync } from "node:fs";
import type { JobRows } from "../../src/db/queries/job-rows.ts";
import { asked, openJobNode, recordingOf } from "./job-node.ts";

export const STEPS = [
  ...([
    "added",
    "begun",
    "measured",
    "reserved",
    "recognized in part",
    "recognized to its end",
    "marked as recognized",
  ] as const),
  ...(["charged", "completed"] as const),
];

/** `keyId`: of who makes it; null: it is made already. */
export type Orders = {
  folder: string;
  url: string | null;
  keyId: string | null;
  step: (typeof STEPS)[number] | "none";
  nowMs: number;
  seconds: number;
};

if (import.meta.main) {
  const { folder, url, keyId, step, nowMs, seconds } = JSON.parse(readFileSync(0, "utf8")) as Orders;
  const dieAt = async (reached: Orders["step"]) => {
    if (step !== reached) return;
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  };
  const after =
    <Rest extends unknown[], T>(call: (...rest: Rest) => Promise<T>, reached: Orders["step"]) =>
    async (...rest: Rest): Promise<T> => {
      const result = await call(...rest);
      await dieAt(reached);
      return result;
    };
  const rowsOf = (rows: JobRows): JobRows => ({
    ...rows,
    begin: after(rows.begin, "begun"),
    measured: after(rows.measured, "measured"),
    reserve: after(rows.reserve, "reserved"),
    async checkpoint(id, piece) {
      const isKept = await rows.checkpoint(id, piece);
      if (piece.from === 0) await dieAt("recognized in part");
      if (piece.to === seconds * 16_000) await dieAt("recognized to its end");
      return isKept;
    },
    recognized: after(rows.recognized, "marked as recognized"),
    complete: after(rows.complete, "completed"),
  });
  const clock = { now: () => nowMs };
  await using node = await openJobNode({
    ...{ folder, url, clock, rowsOf },
    ledgerOf: (ledger) => ({ ...ledger, charge: after(ledger.charge, "charged") }),
  });
  if (keyId !== null) {
    const principal = await node.accounts.principalOfStarter(keyId);
    await node.jobs.create(principal, asked(clock, { bytes: recordingOf(seconds) }));
    await dieAt("added");
  }
  await node.work.run();
}
