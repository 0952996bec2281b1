/** `loquat health`: asks a running server whether it answers, for supervisors that run a command instead. */

import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecured } from "node:https";
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { addDetails } from "../base/details.ts";
import { localOrigin } from "../base/local-origin.ts";
import { printLine, UsageError } from "../base/output.ts";
import { wholeNumber } from "../base/values.ts";

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

type Health = { isHealthy: boolean; text: string };

/** One request to a probe of a server. By node:http, because `fetch` sends even this machine's own through HTTP_PROXY. */
export async function probe(url: URL, timeoutMs: number): Promise<Health> {
  try {
    const { status, body } = await answerOf(url, timeoutMs);
    const { status: state, reasons } = JSON.parse(body) as { status: string; reasons?: string[] };
    return { isHealthy: status === 200, text: [state, ...(reasons ?? [])].join(" ") };
  } catch (error) {
    return { isHealthy: false, text: `${url.href} does not answer: ${(error as Error).message}` };
  }
}

type Answer = { status: number | undefined; body: string };

function answerOf(url: URL, timeoutMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { agent: false, rejectUnauthorized: false } as const; // no secret is sent, so any certificate will do
  const answered = (response: IncomingMessage) => {
    response.setEncoding("utf8").on("error", reject);
    response
      .toArray()
      .then((pieces) => resolve({ status: response.statusCode, body: pieces.join("") }), reject);
  };
  const request =
    url.protocol === "https:" ? getSecured(url, options, answered) : getPlain(url, options, answered);
  request.on("error", reject);
  const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  return promise.finally(() => clearTimeout(timer));
}
