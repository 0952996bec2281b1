/** The one writer of the embedded database, on its own thread: a sync to the disk never holds up the server. */
import { workerData } from "node:worker_threads";
import { type Job, openSqlite } from "../../src/db/open-sqlite.ts";
import { shareCheckpoints } from "../../src/db/sqlite-log.ts";
import type { Write } from "../../src/ledger/booking/write.ts";
import { openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { answerTasks } from "../answer-tasks.ts";

const database = openSqlite(workerData.folder);
shareCheckpoints(database);
const apply = openSqliteWriter(database.sqlite);

/** A batch of the ledger as JSON, answered with JSON, which crosses threads faster than objects; or other jobs. */
type Task = { writes: string } | { jobs: Job[] };

answerTasks((task: Task) => {
  if ("jobs" in task) return database.perform(task.jobs);
  return JSON.stringify(apply(JSON.parse(task.writes) as Write[]));
});
