/** Promise: an outage of the database is logged when it begins and when it ends, and not in between. */
import { expect, test } from "bun:test";
import { openLog } from "../../../src/log/log.ts";
import { watchDatabase } from "../../../src/server/monitoring/database-watch.ts";
import { until } from "../../until.ts";

test("each outage has a line at its begin and one at its end", async () => {
  const events: string[] = [];
  const log = openLog("info", (line) => events.push(JSON.parse(line).event));
  let probes = 0;
  let isDown = false;
  const probe = async () => {
    probes++;
    if (isDown) throw new Error("no route to host");
  };
  using _watch = watchDatabase(probe, log, 1);
  const more = async (count: number) => {
    const enough = probes + count;
    await until(() => probes >= enough);
  };
  for (const down of [false, true, false, true]) {
    isDown = down;
    await more(3);
  }
  expect(events).toEqual(["database_unavailable", "database_available", "database_unavailable"]);
});
