/**
 * Runs the measurement of handovers in a namespace of the network of its own, where `net.ipv4.tcp_migrate_req` can be set
 * without changing the machine.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Handovers } from "./measure.ts";

const MEASURE = fileURLToPath(new URL("measure.ts", import.meta.url));
const SET_UP = 'ip link set lo up && sysctl -qw net.ipv4.tcp_migrate_req="$0" && exec "$@"';

/** Why the setting cannot be set here; null: it can. */
export function whyNotSet(): string | null {
  const { status, error, stderr } = spawnSync("unshare", ["-n", "sh", "-c", SET_UP, "1", "true"], {
    encoding: "utf8",
  });
  if (status === 0) return null;
  return `net.ipv4.tcp_migrate_req cannot be set here: ${error?.message ?? stderr.trim()}`;
}

type Amount = { fresh: number; kept: number; handovers: number };

/** `migrates` null: with the setting of this machine. */
export async function measureHandovers(migrates: boolean | null, amount: Amount): Promise<Handovers> {
  const command = [process.execPath, MEASURE, ...[amount.fresh, amount.kept, amount.handovers].map(String)];
  const isolated = ["unshare", "-n", "sh", "-c", SET_UP, migrates ? "1" : "0", ...command];
  const child = Bun.spawn(migrates === null ? command : isolated, { stdout: "pipe", stderr: "inherit" });
  const printed = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`the measurement failed: ${printed}`);
  return JSON.parse(printed);
}
