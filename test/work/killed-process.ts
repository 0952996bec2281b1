/** A process that does one row of work, and kills itself at the step that its arguments name. */
import { appendFileSync } from "node:fs";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openWorkRows, type WorkRows } from "../../src/db/queries/work-rows.ts";
import { openLog } from "../../src/log/log.ts";
import { openWork } from "../../src/work/work-queue.ts";

/** `dueMs`: as the row that it adds has it. `nowMs`: of its clock. */
export type Orders = {
  place: { folder: string } | { url: string };
  /** A file that each attempt adds a line to. */
  effects: string;
  step: "added" | "claimed" | "done" | "settled" | "none";
  nowMs: number;
};

const { place, effects, step, nowMs } = JSON.parse(process.argv[2]!) as Orders;
const die = () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise<never>(() => {});
};

const database = "folder" in place ? openSqlite(place.folder) : await openPostgres(place.url);
const rows = openWorkRows(database);
const killing: WorkRows = {
  ...rows,
  async claim(claim) {
    const claimed = await rows.claim(claim);
    if (step === "claimed" && claimed.length > 0) await die();
    return claimed;
  },
  async settle(row, to) {
    if (step === "done") await die();
    const settled = await rows.settle(row, to);
    if (step === "settled") await die();
    return settled;
  },
};

await rows.add([{ id: "row", kind: "call", dueMs: 0, payload: "{}" }]);
if (step === "added") await die();
const work = openWork({
  ...{ rows: killing, node: "test", clock: { now: () => nowMs } },
  log: openLog("debug", (line) => appendFileSync(effects, `${JSON.parse(line).event}\n`)),
});
work.handle("call", {
  rules: { attemptsMax: 5, pauseMs: () => 1000, atOnce: 1, groupAtOnce: 1 },
  async attempt() {
    appendFileSync(effects, "done\n");
    return [];
  },
});
await work.run();
await work[Symbol.asyncDispose]();
await database[Symbol.asyncDispose]();
