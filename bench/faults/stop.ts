/**
 * SIGTERM under mixed load: callers of speech, a recording of 145 seconds that takes longer than LOQUAT_DRAIN_SECONDS,
 * and twenty live sessions with an open turn.
 *
 *   load ──> everything under way ──SIGTERM──> speech is answered, turns are completed, the recording gets 503 ──> exit, ledger
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dial, MANUAL } from "../../test/api/v1/realtime/live.ts";
import { type Cli, openCli } from "../../test/cli/process.ts";
import { startLoad } from "../../test/faults/load.ts";
import { clipOf, type Target, transcribe } from "../harness/client.ts";
import type { Row } from "../harness/row.ts";

const SESSIONS = 20;
const TURN_SECONDS = 1;
const RECORDING_SECONDS = 145;
const SENTENCE = "The captain walked to the river, and counted forty apples on the way. ";
const ENVIRONMENT = {
  LOQUAT_PLAN: "unmetered",
  LOG_FORMAT: "json",
  LOQUAT_DRAIN_SECONDS: "30",
  LOQUAT_LAME_DUCK_SECONDS: "1",
};

const none = (value: number) => ({ value, unit: "", target: "at most 0" });

export async function benchStop(): Promise<Row[]> {
  using cli = openCli();
  const server = await cli.serve(ENVIRONMENT);
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const target = { url: server.url, key };
  const recording = await record(target);
  let url: string | null = server.url;
  const load = startLoad(() => url, key);
  const clients = await Promise.all(Array.from({ length: SESSIONS }, () => openTurn(target)));
  const transcription = transcribe(target, recording);
  while (load.delivered.length < 20) await Bun.sleep(5);
  const ended = server.stop();
  while (!server.complained().includes('"event":"closing"')) await Bun.sleep(5);
  url = null;
  await load.stop();
  const refused = await transcription;
  const closes = await Promise.all(clients.map(({ closed }) => closed));
  const code = await ended;
  const completed = clients.filter(({ types }) => types().includes("completed")).length;
  const line = requestLines(server.complained()).find(({ endpoint }) => endpoint.endsWith("transcriptions"));
  const events = await usedRequests(cli);
  const [spoken, sessions] = [load.delivered.length + 1, SESSIONS]; // one of speech made the recording
  const isOrderly = refused.status === 503 && Number(refused.headers.get("retry-after")) > 0;
  return [
    { name: "speech answered under load", value: spoken, unit: "" },
    {
      name: "speech with another outcome",
      ...none([...load.statuses.keys()].filter((s) => s !== "200").length),
    },
    { name: "sessions closed without the transcript of their open turn", ...none(sessions - completed) },
    {
      name: "sessions closed with another code than 1001",
      ...none(closes.filter(({ code }) => code !== 1001).length),
    },
    { name: "recording cut without 503 and retry-after", ...none(isOrderly ? 0 : 1) },
    { name: "recording logged with another status than 503", ...none(line?.status === 503 ? 0 : 1) },
    { name: "charges more or less than answers", ...none(Math.abs(events - spoken - sessions)) },
    { name: "exit code", ...none(code) },
  ];
}

/** A clip of at least so many seconds, as WAV. */
async function record(target: Target): Promise<Blob> {
  const input = SENTENCE.repeat(Math.ceil(RECORDING_SECONDS / 3.5));
  const bytes = await (await clipOf(target, input)).arrayBuffer();
  const seconds = (bytes.byteLength - 44) / 48_000;
  if (seconds < RECORDING_SECONDS) throw new Error(`the recording has ${seconds} seconds only`);
  return new Blob([bytes.slice(0, 44 + RECORDING_SECONDS * 48_000)]);
}

/** A session that has sent audio, and committed nothing. */
async function openTurn(target: Target) {
  const client = await dial(target);
  client.update(MANUAL);
  client.append(new Uint8Array(TURN_SECONDS * 48_000));
  await client.until("updated");
  return client;
}

type RequestLine = { endpoint: string; status: number };

const requestLines = (log: string): RequestLine[] =>
  log
    .split("\n")
    .filter((line) => line.includes('"event":"request"'))
    .map((line) => JSON.parse(line));

/** Charged requests of a ledger that adds up. */
async function usedRequests(cli: Cli): Promise<number> {
  const { code, out } = await cli.run(["ledger", "verify"]);
  if (code !== 0) throw new Error(out);
  return JSON.parse((await cli.run(["usage", "--json"])).out).requests;
}
