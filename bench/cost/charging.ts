/**
 * A server's services without its routes: posts as many charges as a line of standard input says, one after another, and
 * prints an empty line. Prints a line once it is ready.
 */
import { createInterface } from "node:readline";
import { readConfig } from "../../src/config/config.ts";
import { openServices } from "../../src/server/services.ts";
import { richOrganization } from "../requests/instant.ts";

const parts = await openServices(readConfig());
const secret = await richOrganization(parts, "Bench");
const principal = await parts.accounts.authenticate(secret);
const context = { id: "req_1", principal, endpoint: "/v1/audio/speech", method: "POST" };
const work = parts.meter.open({ ...context, bucket: "characters", ip: null, userAgent: null });
await work.admit();
let quantity = 0; // of all charges so far: each adds one
createInterface({ input: process.stdin }).on("line", async (line) => {
  if (line === "count") return;
  for (let turn = 0; turn < Number(line); turn++)
    await work.post({ model: "svc-tts1", priceMicros: 1_000_000, quantity: ++quantity }, "early");
  process.stdout.write("{}\n");
});
process.stdout.write("{}\n");
