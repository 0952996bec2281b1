/** Promise: an operator adds an upstream by command, and every command and a running server see its models. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { until } from "../until.ts";
import { openStandIn, respond, stream, tone } from "../upstreams/stand-in.ts";
import { openCli } from "./process.ts";

const cli = openCli();
let server: Awaited<ReturnType<typeof cli.serve>>;

/** Speaks at one speed whatever it is asked for. */
const far = openStandIn(({ path, body }, reply) => {
  if (path.endsWith("/models"))
    return respond(reply, 200, { body: '{"data":[{"id":"acme-tts"},{"id":"whisper-acme"}]}' });
  if (path.endsWith("/transcriptions")) return respond(reply, 200, { body: '{"text":"nothing of it"}' });
  stream(reply, [tone(0.5), tone(body.includes("Ready") ? 0.5 : 1)]);
});
beforeAll(async () => {
  server = await cli.serve();
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
  far[Symbol.dispose]();
});

const json = async (...args: string[]) => JSON.parse((await cli.runInTurn([...args, "--json"])).out);
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

test("an upstream is added, listed, and offered by commands and by the running server", async () => {
  const added = await cli.run([
    "upstream",
    "add",
    "acme",
    "--url",
    far.url,
    "--api",
    "openai",
    "--voice",
    "ada",
  ]);
  expect(added).toMatchObject({ code: 0 });
  expect(added.out).toContain("acme-tts: acme-tts, 14 voices");
  expect((await json("upstream", "list")).data).toMatchObject([{ name: "acme", preset: "openai" }]);
  expect(idsOf(await json("models", "list"))).toContain("acme-tts");
  expect(idsOf(await json("voices", "list"))).toContain("ada");
  const key = await Bun.file(join(cli.folder, "data", "first-key")).text();
  const headers = { authorization: `Bearer ${key.trim()}` };
  const offered = async () =>
    idsOf((await (await fetch(`${server.url}/v1/models`, { headers })).json()) as never);
  await until(async () => (await offered()).includes("acme-tts"), 50);
}, 120_000);

test("a command without a server speaks with a voice of it", async () => {
  const out = join(cli.folder, "out.wav");
  const ran = await cli.run(["speak", "Good morning.", "--model", "acme-tts", "--voice", "ada", "-o", out]);
  expect(ran).toMatchObject({ code: 0 });
  expect(existsSync(out) && statSync(out).size).toBeGreaterThan(44 + 24_000);
}, 120_000);

test("a check names what its models do, and what they do not", async () => {
  const { code, out } = await cli.runInTurn(["models", "check", "acme"]);
  expect(code).toBe(1);
  expect(out).toContain("1.5 s spoken by ada");
  expect(out).toContain("differs  acme/acme-tts: speech.speed: speed 1.5 is not obeyed");
  expect(out).toContain("differs  acme/whisper-acme: transcription:");
  const unknown = await cli.runInTurn(["models", "check", "nobody"]);
  expect(unknown.code).not.toBe(0);
  expect(unknown.err).toContain("nobody is neither installed nor an upstream");
}, 120_000);

test("a removed one is gone from the catalogue of commands", async () => {
  expect(await cli.runInTurn(["upstream", "remove", "acme"])).toMatchObject({ code: 0 });
  expect(idsOf(await json("models", "list"))).not.toContain("acme-tts");
  expect((await cli.runInTurn(["upstream", "remove", "acme"])).code).not.toBe(0);
}, 120_000);
