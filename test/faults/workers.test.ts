/** Promise: a process that is killed under load is replaced and counted, no request hangs, and nothing else is charged. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "../../bench/harness/process.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { openCli } from "../cli/process.ts";

const installed = ["espeak", "decode"].every((family) => installedFamilies().has(family));
const unlessInstalled = installed ? "" : " (skipped: needs eSpeak NG and FFmpeg)";

type Target = { url: string; key: string };

function speak({ url, key }: Target, fields: object): Promise<Response> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "female-sunny", input: "Go on.", ...fields });
  return fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body,
  });
}

const REPEATS = 250; // MP3 may be put end to end: more than ten minutes, which no recording may have

const COUNTING = "One, two, three, four, five, six, seven, eight, nine, ten.";

/** Decoded to its end, and never recognized. */
async function uploadOf(target: Target): Promise<File> {
  const clip = await (await speak(target, { response_format: "mp3", input: COUNTING })).blob();
  return new File(Array(REPEATS).fill(clip), "long.mp3");
}

function transcribe({ url, key }: Target, file: File): Promise<Response> {
  const form = new FormData();
  form.set("model", "svc-stt1");
  form.set("file", file);
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${url}/v1/audio/transcriptions`, { method: "POST", headers, body: form });
}

/** Asks again and again; counts statuses, "broken" for an answer that was not whole. */
function startCaller(ask: () => Promise<Response>) {
  const statuses = new Map<string, number>();
  let going = true;
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const done = (async () => {
    while (going) {
      const response = await ask();
      const { byteLength } = await response.arrayBuffer();
      const length = response.headers.get("content-length");
      count(length === null || Number(length) === byteLength ? String(response.status) : "broken");
      if (response.status === 503) await Bun.sleep(20);
    }
  })();
  return {
    statuses,
    /** Until so many more of a status came. */
    async more(status: string, more: number): Promise<void> {
      const enough = (statuses.get(status) ?? 0) + more;
      while ((statuses.get(status) ?? 0) < enough) await Bun.sleep(5);
    },
    async stop(): Promise<string[]> {
      going = false;
      await done;
      return [...statuses.keys()];
    },
  };
}

/** Deaths of a worker's processes, as the metrics count them. */
async function deathsOf(worker: string, { url }: Target): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^loquat_workers_ended_total{worker="${worker}",kind="process"} (\\d+)$`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
}

/** A child that runs the worker; null where none does now. */
function childOf(pid: number, worker: string): number | null {
  const isIt = (child: number) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "latin1").includes(`workers/${worker}`);
    } catch {
      return false; // it has ended
    }
  };
  return childrenOf(pid).find(isIt) ?? null;
}

/** Kills until a death was counted: a child may end by itself before. Its successor is not killed for a count that is late. */
async function killOne(worker: string, pid: number, target: Target): Promise<void> {
  do {
    const child = childOf(pid, worker);
    if (child !== null) kill(child);
    while (child !== null && childrenOf(pid).includes(child)) await Bun.sleep(1);
    if (child === null) await Bun.sleep(1);
  } while ((await deathsOf(worker, target)) === 0);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

test.skipIf(!installed)(
  `each kind of process is killed under load${unlessInstalled}`,
  async () => {
    using cli = openCli();
    const server = await cli.serve({ LOQUAT_PLAN: "unmetered", LOG_FORMAT: "json" });
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    const target = { url: server.url, key };
    const upload = await uploadOf(target);
    const callers = {
      "tts/espeak/espeak": startCaller(() => speak(target, { response_format: "wav" })),
      "media/encode-aac": startCaller(() =>
        speak(target, { response_format: "aac", model: "tts-1", voice: "alloy", stream: false }),
      ),
      "media/decode": startCaller(() => transcribe(target, upload)),
    };
    for (const [worker, { more }] of Object.entries(callers)) {
      const success = worker === "media/decode" ? "400" : "200";
      await more(success, 1);
      await killOne(worker, server.pid, target);
      await more(success, 2);
    }
    const [espeak, aac, decode] = await Promise.all(Object.values(callers).map(({ stop }) => stop()));
    const documented = ["200", "502", "503"]; // both speak by eSpeak NG, which may pause after two deaths in a row
    for (const statuses of [espeak!, aac!])
      expect(statuses.filter((status) => !documented.includes(status))).toEqual([]);
    expect(decode!.filter((status) => !["400", "503"].includes(status))).toEqual([]);
    const ended = server.complained().split('"event":"worker_ended"').length - 1;
    expect(ended).toBeGreaterThanOrEqual(3);
    expect(await server.stop()).toBe(0);
    expect((await cli.run(["ledger", "verify"])).code).toBe(0);
    const delivered = Object.values(callers).reduce(
      (sum, { statuses }) => sum + (statuses.get("200") ?? 0),
      0,
    );
    const { requests } = JSON.parse((await cli.run(["usage", "--json"])).out);
    expect(requests).toBe(delivered + 1); // the clip of the upload
  },
  600_000, // a loaded machine decodes ten minutes several times
);
