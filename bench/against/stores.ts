/**
 * The services of a checkout: `bun stores.ts FOLDER`, which says so with a line. Each line of standard input, such as
 * `["charges", 32]`, is answered with how many a second that many callers get who never pause.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Services } from "../../src/server/services.ts";

const ROUND_MS = 1500;
const ORGANIZATION = "org";
const PER_MINUTE = 1e9;

const folder = process.argv[2]!;
/** A module of the checkout, which is at the first of these paths that it has. */
const load = (...paths: string[]) => import(paths.map((path) => join(folder, path)).find(existsSync)!);
const { readConfig } = await load("src/config/config.ts", "src/config.ts");
const { openServices } = await load("src/server/services.ts");
const { chargeOf, grantOf, requestFor } = await load("test/contract/ledger/charges.ts");
const { ledger, limits }: Services = await openServices(readConfig());
await ledger.grant(grantOf({ amountMicros: 1e12 }));

let turn = 0;
const CALLS: Record<string, () => Promise<unknown>> = {
  charges() {
    const charge = chargeOf();
    return ledger.charge(charge, requestFor(charge));
  },
  async decisions() {
    const id = `req_${turn++}`;
    const take = { bucket: "requests", cost: 1, perMinute: PER_MINUTE } as const;
    const slot = { id, max: 10_000 };
    await limits.decide({ organizationId: ORGANIZATION, now: Date.now(), take: [take], slot });
    await limits.release(ORGANIZATION, id);
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const [name, callers]: [string, number] = JSON.parse(line);
  process.stdout.write(`${await perSecond(CALLS[name]!, callers)}\n`);
});
process.stdout.write("{}\n");

async function perSecond(call: () => Promise<unknown>, callers: number): Promise<number> {
  const begun = performance.now();
  let done = 0;
  const caller = async () => {
    for (; performance.now() - begun < ROUND_MS; done++) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1000) / (performance.now() - begun);
}
