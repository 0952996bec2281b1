/** The backup that an operator downloads: the command `backup` as a process beside the server, which goes on meanwhile. */
import { resolve } from "node:path";
import type { ManagementDeps } from "../api/management/handlers/handler.ts";
import type { Config } from "../config/config.ts";
import { commandOf } from "../engine/worker-process.ts";
import { Refusal } from "../errors.ts";
import { nativesFolder } from "../natives/addon.ts";
import { isPacked } from "../resources.ts";

/** For who takes it slowly: a copy of the database is on the disk until then. */
const LONGEST_MS = 3_600_000;

/** Null with PostgreSQL, which has tools of its own. One at a time. */
export function openBackup({ data, models }: Pick<Config, "data" | "models">): ManagementDeps["backup"] {
  if (data.url !== null) return null;
  let isUnderWay = false;
  return async (signal) => {
    if (isUnderWay)
      throw new Refusal("service_unavailable", "A backup is being downloaded. Try again later.");
    isUnderWay = true;
    const child = Bun.spawn({
      cmd: commandOf(["backup", "-"]),
      env: {
        ...{ LOQUAT_DATA: resolve(data.folder), LOQUAT_WEIGHTS: resolve(models.weights) },
        ...(isPacked && { LOQUAT_CACHE: nativesFolder() }),
      },
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    });
    void child.exited.then(() => {
      isUnderWay = false;
    });
    const reader = child.stdout.getReader();
    /** The process then removes its copy, which it would leave behind if it were killed. */
    const stop = () => void reader.cancel();
    const stopped = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    stopped.addEventListener("abort", stop, { once: true });
    const first = await reader.read();
    if (first.done)
      throw new Refusal("service_unavailable", `No backup was made. ${await child.stderr.text()}`.trim());
    return (async function* () {
      try {
        yield first.value;
        for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
        if ((await child.exited) !== 0) throw new Error("a backup ended before it was whole");
      } finally {
        stopped.removeEventListener("abort", stop);
        stop();
      }
    })();
  };
}
