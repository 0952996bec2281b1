/** Promise: every command does what the README says; programs can read its lists, and people its refusals. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { LAYERS } from "../../workers/sandbox/confine.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  const server = await cli.serve(); // what makes a data folder
  await server.stop();
});
afterAll(() => cli[Symbol.dispose]());

const json = async (...args: string[]) => {
  const { code, out, err } = await cli.run([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};

describe("keys", () => {
  test("are made with a name and scopes, listed, and revoked", async () => {
    const made = await json("keys", "create", "--name", "ci", "--scope", "speech:create", "--test");
    expect(made).toMatchObject({ name: "ci", environment: "test", scopes: ["speech:create"] });
    expect(made.secret).toMatch(/^sk_test_/);
    const told = await cli.run(["keys", "revoke", made.id]);
    expect(told).toMatchObject({ code: 0, out: `Revoked ${made.id} (ci).\n` });
    const { data } = await json("keys", "list");
    expect(data.map((key: { name: string; status: string }) => [key.name, key.status])).toEqual([
      ["ci", "revoked"],
      ["first", "active"],
    ]);
    expect(JSON.stringify(data)).not.toContain(made.secret);
  });

  test("a new secret stands alone on the first line", async () => {
    const { out } = await cli.run(["keys", "create"]);
    expect(out.split("\n")[0]).toMatch(/^sk_live_[0-9A-Za-z]{40}$/);
  });
});

test("an empty data folder has no project to make a key for", async () => {
  const { code, err } = await cli.run(["keys", "create"], { LOQUAT_DATA: join(cli.folder, "empty") });
  expect(code).toBe(2);
  expect(err).toContain("Start the server once");
});

describe("lists", () => {
  test("models and voices are what the API shows", async () => {
    const models = (await json("models", "list")).data;
    expect(models.map(({ id }: { id: string }) => id)).toEqual(["svc-stt1", "svc-tts1", "svc-tts2"]);
    const voices = (await json("voices", "list")).data;
    expect(voices[0]).toMatchObject({ id: "female-warm", locale: "en-US" });
  });

  test("are tables for people", async () => {
    const { out } = await cli.run(["voices", "list"]);
    const [head, first] = out.split("\n");
    expect(head).toMatch(/^ID +NAME +LOCALE +GENDER +MODELS$/);
    expect(first).toMatch(/^female-warm +Ada +en-US +female +svc-tts1 svc-tts2$/);
  });
});

test("doctor says what is here", async () => {
  const found = await json("doctor");
  const engines: { family: string; missing: string | null }[] = found.engines;
  const [silero] = engines.splice(
    engines.findIndex(({ family }) => family === "silero"),
    1,
  );
  expect(silero?.missing ?? "silero-vad").toContain("silero-vad"); // whether it is here is the machine's
  const ready = engines.filter(({ missing }) => missing === null);
  expect(ready.map(({ family }) => family).sort()).toEqual([...installedFamilies()].sort());
  const { out } = await cli.run(["doctor"]);
  expect(out).toContain("ready    Flite");
  expect(Object.keys(found.confinement)).toEqual([...LAYERS]);
  for (const [layer, how] of Object.entries(found.confinement))
    expect(out).toMatch(how === null ? "missing  " : `ready    ${layer}: `);
  if (process.platform === "linux") expect(found.confinement.seccomp).toEndWith("system calls");
});

describe("speak and transcribe", () => {
  const path = (name: string) => join(cli.folder, name);

  test.each([
    ["hello.wav", "RIFF"],
    ["hello.flac", "fLaC"],
    ["hello.opus", "OggS"],
  ])("%s is written in the format of its name", async (name, magic) => {
    const { code, err } = await cli.run(["speak", "Good morning.", "-o", path(name)]);
    expect({ code, told: err.includes(name) }).toEqual({ code: 0, told: true });
    expect(readFileSync(path(name)).subarray(0, 4).toString("latin1")).toBe(magic);
  });

  const hears = installedFamilies().has("sphinx");
  test.skipIf(!hears)(
    `what was spoken is heard${hears ? "" : " (skipped: PocketSphinx is missing)"}`,
    async () => {
      const text = "The weather is very fine today.";
      await cli.run(["speak", text, "-o", path("a.wav"), "--voice", "male-deep", "--speed", "0.9"]);
      const { code, out } = await cli.run(["transcribe", path("a.wav"), "--format", "srt"]);
      expect(code).toBe(0);
      expect(out).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n.*weather/);
    },
  );
});

describe("what is not understood", () => {
  const refused: [name: string, args: string[], code: number, told: RegExp][] = [
    ["an unknown command", ["sing"], 2, /no command sing[\s\S]*loquat serve/],
    ["an unknown option", ["voices", "list", "--loud"], 2, /--loud/],
    ["a list of nothing", ["models"], 2, /models takes one word: list/],
    ["a key that is not there", ["keys", "revoke", "key_1"], 2, /no key key_1/],
    ["a scope that is not there", ["keys", "create", "--scope", "all"], 2, /no scope all.*speech:create/],
    ["no text", ["speak", "-o", "a.wav"], 2, /one text/],
    ["no output", ["speak", "Hello."], 2, /-o out.wav/],
    ["a strange speed", ["speak", "Hello.", "-o", "a.wav", "--speed", "9"], 2, /--speed/],
    ["a voice nobody has", ["speak", "Hello.", "-o", "a.wav", "--voice", "alloy"], 1, /no voice alloy/],
    ["a folder nobody has", ["speak", "Hello.", "-o", "/nowhere/a.wav"], 2, /\/nowhere\/a.wav/],
    ["a format nobody makes", ["speak", "Hello.", "-o", "a.aac"], 1, /not aac/],
    ["a file that is not there", ["transcribe", "nothing.wav"], 2, /nothing.wav/],
    ["a file that is no audio", ["transcribe", "words.txt"], 1, /not audio|Only WAV/],
  ];
  test.each(refused)("%s", async (_name, args, code, told) => {
    writeFileSync(join(cli.folder, "words.txt"), "These are only words.");
    const ran = await cli.run(args);
    expect({ code: ran.code, out: ran.out }).toEqual({ code, out: "" });
    expect(ran.err).toMatch(told);
    expect(ran.err).not.toContain("    at ");
  });

  test.each([
    [["keys", "--help"], /^ {2}loquat keys create /],
    [["models", "-h"], /^ {2}loquat models list /],
    [["speak", "--help"], /^ {2}loquat speak "text"/],
    [["--version"], /^\d+\.\d+\.\d+\n$/],
  ])("%p is answered", async (args, told) => {
    expect(await cli.run(args)).toEqual({ code: 0, out: expect.stringMatching(told), err: "" });
  });

  test("help is no failure", async () => {
    const { code, out } = await cli.run(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("loquat transcribe FILE");
  });
});
