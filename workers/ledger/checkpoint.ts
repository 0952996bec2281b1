/** Checkpoints of the embedded database, on a thread of their own: a commit waits for no copy and no sync of the database. */
import { workerData } from "piscina";
import { openCheckpoint } from "../../src/db/sqlite-log.ts";

const copy = openCheckpoint(workerData.folder);

export default function checkpoint(): void {
  copy();
}
