/** The one writer of the embedded database, on its own thread: a sync to the disk never holds up the server. */
import { workerData } from "node:worker_threads";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { shareCheckpoints } from "../../src/db/sqlite-log.ts";
import type { Write } from "../../src/ledger/booking/write.ts";
import { openSqliteWriter, type WriterWork } from "../../src/ledger/sqlite.ts";
import { answerTasks } from "../answer-tasks.ts";

const database = openSqlite(workerData.folder);
shareCheckpoints(database);
const apply = openSqliteWriter(database.sqlite);

answerTasks((task: WriterWork["task"]) => {
  switch (task.kind) {
    case "jobs":
      return database.perform(task.jobs);
    case "writes":
      return JSON.stringify(apply(JSON.parse(task.writes) as Write[]));
    default:
      return task satisfies never;
  }
});
