/** `loquat health`: asks a running server whether it answers, for supervisors that run a command instead. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { addDetails } from "../base/details.ts";
import { localOrigin } from "../base/local-origin.ts";
import { printLine, UsageError } from "../base/output.ts";
import { wholeNumber } from "../base/values.ts";
import { probe } from "./probe.ts";

export function health(command: Command): void {
  command
    .argument("[url]", "the server's URL (default: this machine, at PORT)")
    .option("--ready", "ask whether it takes requests, too")
    .option("--timeout <seconds>", "how long to wait for the answer", wholeNumber, 5)
    .action(run);
  addDetails(
    command,
    `Exit code 0: the server answers, or is ready; 1: it does not, or is not. With
--ready that is so while the server drains, and while its database cannot be
reached. Certificates are not checked, and HTTP_PROXY is not used.`,
  );
}

async function run(
  url: string | undefined,
  { ready, timeout }: { ready?: true | undefined; timeout: number },
) {
  const origin = url ?? localOrigin(readConfig().http);
  if (!URL.canParse(origin) || !/^https?:$/.test(new URL(origin).protocol))
    throw new UsageError(`${origin} is not a URL that starts with http:// or https://.`);
  const { isHealthy, text } = await probe(new URL(ready ? "/readyz" : "/healthz", origin), timeout * 1000);
  printLine(text);
  if (!isHealthy) process.exitCode = 1;
}
