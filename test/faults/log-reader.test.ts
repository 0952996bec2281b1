/** Promise: a reader of standard error that stops reading delays no request, and the server still stops. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "../cli/process.ts";

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli[Symbol.dispose]());

/** A named pipe, and the process that copies what is written there to a file. */
async function openReader() {
  const [pipe, file] = [join(cli.folder, "errors"), join(cli.folder, "log")];
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  const child = Bun.spawn(["sh", "-c", 'exec cat "$0" > "$1"', pipe, file]);
  return { pipe, child, lines: () => readFileSync(file, "utf8").trim().split("\n") };
}

const droppedAt = async (url: string) =>
  Number(/^loquat_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

/** Requests that each write a line, until some of these lines were dropped. */
async function floodUntilDropped(url: string): Promise<void> {
  const before = await droppedAt(url);
  while ((await droppedAt(url)) === before)
    await Promise.all(
      Array.from({ length: 200 }, async () => (await fetch(`${url}/v1/nothing`)).body?.cancel()),
    );
}

test.skipIf(Bun.which("mkfifo") === null)(
  `a stopped reader of the log drops lines, which one line reports${Bun.which("mkfifo") ? "" : " (skipped: needs mkfifo)"}`,
  async () => {
    const reader = await openReader();
    const server = await cli.serve({ LOG_LEVEL: "debug", LOG_FORMAT: "json" }, [], reader.pipe);
    reader.child.kill("SIGSTOP");
    await floodUntilDropped(server.url);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    reader.child.kill("SIGCONT");
    const report = () => reader.lines().find((line) => line.includes('"log_lines_dropped"'));
    while (!report()) await Bun.sleep(10);
    expect(JSON.parse(report()!)).toMatchObject({ level: "warn", lines: expect.any(Number) });
    reader.child.kill("SIGSTOP");
    await floodUntilDropped(server.url);
    expect(await server.stop()).toBe(0);
    reader.child.kill("SIGKILL");
  },
);
