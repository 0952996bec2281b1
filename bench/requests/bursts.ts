/**
 * Bursts: sixty requests of one caller at once, as a folder that is dropped on a client sends them. The plan runs 32 and
 * lets 32 wait, so every one is to be answered; beside them, the memory that the burst takes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { withPeer } from "../../test/wyoming/peer.ts";
import { clipOf, speak, transcribe } from "../harness/client.ts";
import { residentKib } from "../harness/process.ts";
import type { Row } from "../harness/row.ts";
import { startNode, wyomingKeyIn } from "../harness/server.ts";
import { SENTENCES, textOf } from "../harness/texts.ts";

const COUNT = 60;
const WYOMING_COUNT = 32; // connections of one address
const WATCH_MS = 100;
const KIB = 1024;
const HEADING = 44; // bytes, of a WAV file
const FORMAT = { rate: 24_000, width: 2, channels: 1 };

type Node = Awaited<ReturnType<typeof startNode>>;
type Caller = { url: string; key: string };

export async function benchBursts(): Promise<Row[]> {
  await using node = await startNode({ LOQUAT_PLAN: "unmetered" });
  const caller = { url: node.url, key: await firstKeyOf(node) };
  const wav = await clipOf(caller, SENTENCES[0]!);
  const recordings = {
    aac: await recordingIn(caller, "aac"),
    mp3: await recordingIn(caller, "mp3"),
    wav,
  };
  const rows: Row[] = [];
  for (const [format, file] of Object.entries(recordings))
    rows.push(
      ...(await burst(node, {
        name: `${COUNT} ${format} uploads`,
        send: () => answered(transcribe(caller, file)),
      })),
    );
  const texts = (turn: number) => answered(speak(caller, { input: `${textOf(turn)} ${textOf(turn + 1)}` }));
  rows.push(...(await burst(node, { name: `${COUNT} texts of 400 characters`, send: texts })));
  return [...rows, ...(await wyoming(wav))];
}

const firstKeyOf = ({ folder }: Node) =>
  Bun.file(`${folder}/first-key`)
    .text()
    .then((text) => text.trim());

const recordingIn = async (caller: Caller, response_format: string) =>
  (await speak(caller, { model: "tts-1", input: SENTENCES[0], response_format })).blob();

async function answered(request: Promise<Response>): Promise<boolean> {
  const response = await request;
  await response.arrayBuffer();
  return response.status === 200;
}

/** `send`: whether the request was answered with a success. */
type Burst = { name: string; send: (turn: number) => Promise<boolean>; count?: number };

async function burst({ pid }: Pick<Node, "pid">, { name, send, count = COUNT }: Burst): Promise<Row[]> {
  const before = residentKib(pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentKib(pid));
  }, WATCH_MS);
  const begun = performance.now();
  const all = await Promise.all(Array.from({ length: count }, (_, turn) => send(turn)));
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(watch);
  const served = all.filter(Boolean).length;
  return [
    { name: `${name} at once, answered`, value: served, unit: "requests", target: `at least ${count}` },
    { name: `${name} at once, until the last`, value: seconds, unit: "s" },
    { name: `${name} at once, memory beyond the idle server`, value: (most - before) / KIB, unit: "MiB" },
  ];
}

/** The same over the Wyoming protocol, as many as one address may have. */
async function wyoming(wav: Blob): Promise<Row[]> {
  const samples = Buffer.from(await wav.arrayBuffer()).subarray(HEADING);
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const environment = { LOQUAT_PLAN: "unmetered", LOQUAT_DATA: folder };
  try {
    const keyId = await wyomingKeyIn(environment);
    const port = freePort();
    const listening = { LOQUAT_WYOMING_PORT: String(port), LOQUAT_WYOMING_KEY: keyId };
    await using node = await startNode({ ...environment, ...listening });
    const name = `${WYOMING_COUNT} recordings over Wyoming`;
    return await burst(node, { name, count: WYOMING_COUNT, send: () => recognized(port, samples) });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const recognized = (port: number, samples: Buffer): Promise<boolean> =>
  withPeer(port, async (peer) => {
    peer.send("transcribe", {});
    peer.send("audio-start", FORMAT);
    peer.send("audio-chunk", FORMAT, samples);
    peer.send("audio-stop", {});
    const last = (await peer.until("transcript")).at(-1);
    return last?.type === "transcript" && String(last.data.text).length > 0;
  });
