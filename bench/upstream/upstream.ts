/**
 * Upstreams: what one adds to speech on the same machine, and what requests are charged where its servers fail.
 */
import type { Row } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";
import { compareServers } from "../requests/two-servers.ts";
import { addUpstream } from "./add-upstream.ts";
import { benchFaults } from "./faults.ts";

const KEY = "LOQUAT_BENCH_UPSTREAM_KEY";

export const benchUpstream = async (): Promise<Row[]> => [...(await benchRoad()), ...(await benchFaults())];

/** The server behind is the one that is asked directly: both make the same clips with the same engines. */
async function benchRoad(): Promise<Row[]> {
  await using direct = await startServer();
  await using through = await startServer({ [KEY]: direct.key });
  await addUpstream(through, ["behind", "--url", direct.url, "--api", "loquat", "--key-env", KEY]);
  return await compareServers({ direct, through }, "an upstream");
}
