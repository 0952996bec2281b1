/** `loquat reload`: replaces a running server by a new process of the same executable, which reads its files again. */
import { resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { isPacked } from "../../resources.ts";
import { runningServer } from "../../server/lifecycle/running-server.ts";
import { addDetails } from "../base/details.ts";
import { printLine, UsageError } from "../base/output.ts";
import { handOver } from "../upgrade/hand-over.ts";
import { UpgradeError } from "../upgrade/upgrade-error.ts";

export function reload(command: Command): void {
  command.action(async () => {
    if (!isPacked) throw new UsageError("This is a checkout: run loquat serve --take-over instead.");
    printLine(await reloadServer(resolve(readConfig().data.folder), process.execPath));
  });
  addDetails(
    command,
    `The server of LOQUAT_DATA starts the executable again, with its own arguments
and environment. The new process reads certificates, files of secrets and
manifests, takes over on the same port when it is ready, and the old one ends
when it has answered what it has taken. If the new process is not ready within a
minute, the old one goes on. The server needs LOQUAT_REUSE_PORT=1.`,
  );
}

/** Returns what was done. Throws an `UpgradeError` where the server goes on as it is. */
export async function reloadServer(folder: string, executable: string): Promise<string> {
  const from = runningServer(folder);
  if (from === null) throw new UpgradeError(`No server uses LOQUAT_DATA ${folder}.`);
  if (from.obstacle !== null)
    throw new UpgradeError(`Process ${from.pid} cannot start its successor: ${from.obstacle}. Restart it.`);
  const pid = await handOver(folder, { from, executable });
  return `Process ${pid} listens in place of ${from.pid}, which ends with its last request.`;
}
