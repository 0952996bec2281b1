/** `npm run bench -- handover`: what is lost while one server after another takes over under load. */
import type { Row } from "../harness/row.ts";
import { measureHandovers, whyNotSet } from "./own-network.ts";

const AMOUNT = { fresh: 100_000, kept: 100_000, handovers: 5 };

export async function benchHandover(): Promise<Row[]> {
  const why = whyNotSet();
  if (why !== null) {
    process.stdout.write(`  ${why}\n`);
    return rowsOf(null);
  }
  return [...(await rowsOf(true)), ...(await rowsOf(false))];
}

/** Only with the setting is nothing lost: then it is a target. */
async function rowsOf(migrates: boolean | null): Promise<Row[]> {
  const found = await measureHandovers(migrates, AMOUNT);
  const setting = `tcp_migrate_req=${found.migrates ? 1 : 0}`;
  const target = found.migrates ? { target: "at most 0" } : {};
  const { fresh, kept, metrics, wyoming } = found;
  const lost = Object.entries({ "new connections": fresh, "kept connections": kept, metrics, wyoming }).map(
    ([what, { answered, lost }]): Row => ({
      name: `${setting}, ${what}: lost of ${answered + lost}`,
      value: lost,
      unit: "requests",
      ...target,
    }),
  );
  const rate = (fresh.answered + kept.answered) / found.seconds;
  return [
    { name: `${setting}: handovers`, value: found.handovers, unit: "" },
    { name: `${setting}: requests meanwhile`, value: rate, unit: "/s" },
    ...lost,
  ];
}
