/** Promise: every command does what its help says; its lists are readable by programs, its errors by people. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VARIABLES } from "../../src/config/config.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { LAYERS } from "../../workers/sandbox/confine.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  const server = await cli.serve(); // creates the data directory
  await server.stop();
});
afterAll(() => cli[Symbol.dispose]());

const json = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
};

describe("keys", () => {
  test("keys can be created with a name and scopes, listed and revoked", async () => {
    const created = await json("keys", "create", "--name", "ci", "--scope", "speech:create", "--test");
    expect(created).toMatchObject({ name: "ci", environment: "test", scopes: ["speech:create"] });
    expect(created.secret).toMatch(/^sk_test_/);
    const revoked = await cli.runInTurn(["keys", "revoke", created.id]);
    expect(revoked).toMatchObject({ code: 0, out: `Revoked ${created.id} (ci).\n` });
    const { data } = await json("keys", "list");
    expect(data.map((key: { name: string; status: string }) => [key.name, key.status])).toEqual([
      ["ci", "revoked"],
      ["first", "active"],
    ]);
    expect(JSON.stringify(data)).not.toContain(created.secret);
  });

  test("keys create prints the secret and nothing else to standard output", async () => {
    const { out, err } = await cli.run(["keys", "create"]);
    expect(out).toMatch(/^sk_live_[0-9A-Za-z]{40}\n$/);
    expect(err).toContain("shown once");
  });
});

describe("admin keys", () => {
  test("can be created with scopes and an end, listed and revoked", async () => {
    const created = await json(
      "admin-keys",
      "create",
      "--name",
      "ci",
      "--scope",
      "usage:read",
      "--days",
      "2",
    );
    expect(created).toMatchObject({ name: "ci", scopes: ["usage:read"], created_by: null });
    expect(created.expires_at - created.created_at).toBe(2 * 86_400);
    expect(created.secret).toMatch(/^sk_admin_[0-9A-Za-z]{43}$/);
    const revoked = await cli.runInTurn(["admin-keys", "revoke", created.id]);
    expect(revoked).toMatchObject({ code: 0, out: `Revoked ${created.id} (ci).\n` });
    const { out, err } = await cli.run(["admin-keys", "create"]);
    expect(out).toMatch(/^sk_admin_[0-9A-Za-z]{43}\n$/);
    expect(err).toContain("shown once");
    const { data } = await json("admin-keys", "list");
    expect(data.map((key: { name: string; status: string }) => [key.name, key.status])).toEqual([
      ["unnamed", "active"],
      ["ci", "revoked"],
    ]);
    expect((await cli.runInTurn(["admin-keys", "create", "--scope", "speech:create"])).code).toBe(2);
    expect((await cli.runInTurn(["admin-keys", "revoke", "akey_none"])).code).toBe(2);
  });
});

test.each([
  [["keys", "list"]],
  [["admin-keys", "list"]],
  [["keys", "create"]],
  [["org", "list"]],
  [["usage"]],
  [["ledger", "verify"]],
  [["admin", "list"]],
])("%p in a directory without a database names LOQUAT_DATA and creates nothing", async (args) => {
  const { code, out, err } = await cli.runInTurn(args, { LOQUAT_DATA: join(cli.folder, "empty") });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^LOQUAT_DATA: there is no database in \/.*empty\. [^\n]*loquat serve[^\n]*\n$/);
  expect(existsSync(join(cli.folder, "empty"))).toBe(false);
});

test("speak and normalize leave no data directory behind", async () => {
  const environment = { LOQUAT_DATA: join(cli.folder, "unused") };
  const long = "It was a long story, and he told all of it. ".repeat(12); // more than is held in memory
  const spoken = await cli.run(["speak", "-", "-o", "-"], environment, long);
  expect(spoken.code).toBe(0);
  expect((await cli.run(["normalize", "1"], environment)).code).toBe(0);
  expect(existsSync(join(cli.folder, "unused"))).toBe(false);
});

test("sentences name one of something in the singular", async () => {
  expect((await cli.runInTurn(["ledger", "verify"])).out).toBe("1 account and 1 grant add up.\n");
  expect((await cli.runInTurn(["usage"])).out).toStartWith("0 requests billed: 0 characters, ");
  expect((await cli.runInTurn(["doctor"], { LOQUAT_THREADS: "1" })).out).toContain(" with 1 thread.");
});

describe("lists", () => {
  test("models list and voices list print what the API lists", async () => {
    const models = (await json("models", "list")).data;
    expect(models.map(({ id }: { id: string }) => id)).toEqual(["svc-stt1", "svc-tts1", "svc-tts2"]);
    const voices = (await json("voices", "list")).data;
    expect(voices[0]).toMatchObject({ id: "female-warm", locale: "en-US" });
  });

  test("voices list prints a table", async () => {
    const { out } = await cli.runInTurn(["voices", "list"]);
    const [head, first] = out.split("\n");
    expect(head).toMatch(/^ID +NAME +LOCALE +GENDER +MODELS$/);
    expect(first).toMatch(/^female-warm +Ada +en-US +female +svc-tts1 svc-tts2$/);
  });

  beforeAll(async () => {
    await cli.runInTurn([
      "keys",
      "create",
      "--name",
      "a name that is far too long for one column of a table",
    ]);
  });

  test.each([
    [
      ["keys", "list"],
      /ID +NAME +KEY +STATUS +LAST USED\n(.*\n)*key_\w+ +first +sk_live_\S*…\S{4} +active +never\n/,
    ],
    [
      ["org", "list"],
      /^ID +NAME +STATUS +PLAN +TIER +REQ\/MIN +MONTHLY\norg_\w+ .* active +prepaid +free +20 +\$100\.00\n$/,
    ],
    [["project", "list"], /^ID +NAME +STATUS +DEFAULT\nproj_\w+ +Default +active +yes\n$/],
    [
      ["credit", "history"],
      /^GRANTED .*\n\d{4}-\d\d-\d\d \d\d:\d\d +\w+ +\$5\.00 +\$5\.00 +\d{4}-\S+ \d\d:\d\d +active\n$/,
    ],
    [["voices", "list"], /female-warm/],
    [["models", "list"], /svc-tts1[\s\S]*NAME[\s\S]*(kB|MB|GB)/],
  ])("%p prints dates and dollars in 80 columns", async (args, printed) => {
    const { code, out, err } = await cli.run(args);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(printed);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).not.toContain("\x1b");
  });

  test.each([[["models", "verify"]], [["models", "check"]], [["models", "bench"]]])(
    "%p says where nothing is installed",
    async (args) => {
      const { code, err } = await cli.run(args);
      expect({ code, err }).toMatchObject({
        code: 0,
        err: expect.stringContaining("No package is installed."),
      });
    },
  );
});

test("doctor reports installed engines and confinement layers", async () => {
  const report = await json("doctor");
  const engines: { family: string; missing: string | null }[] = report.engines;
  const [silero] = engines.splice(
    engines.findIndex(({ family }) => family === "silero"),
    1,
  );
  expect(silero?.missing ?? "silero-vad").toContain("silero-vad"); // depends on the machine
  const ready = engines.filter(({ missing }) => missing === null);
  expect(ready.map(({ family }) => family).sort()).toEqual([...installedFamilies()].sort());
  const { out } = await cli.run(["doctor"]);
  expect(out).toContain("ready    Flite");
  expect(out).toMatch(/Ready to sell:\n {2}missing {2}Mail\n {11}Set SMTP_URL and MAIL_FROM/);
  expect(report.selling.map(({ id }: { id: string }) => id)).toEqual([
    "mail",
    "payments",
    "address",
    "sign_up",
  ]);
  expect(Object.keys(report.confinement)).toEqual([...LAYERS]);
  for (const [layer, how] of Object.entries(report.confinement))
    expect(out).toMatch(how === null ? "missing  " : `ready    ${layer}: `);
  if (process.platform === "linux") expect(report.confinement.seccomp).toEndWith("system calls");
});

describe("errors", () => {
  const rejected: [name: string, args: string[], code: number, message: RegExp][] = [
    ["an unknown command", ["sing"], 2, /^Unknown command 'sing'\nAdd --help for usage\.\n$/],
    ["an unknown option", ["voices", "list", "--loud"], 2, /^Unknown option '--loud'\nAdd --help/],
    ["an extra argument", ["ledger", "verify", "all"], 2, /Too many arguments/],
    ["a missing subcommand", ["models"], 2, /Usage: loquat models/],
    ["an unknown subcommand", ["ledger", "repair"], 2, /Unknown command 'repair'/],
    ["an unknown key", ["keys", "revoke", "key_1"], 2, /no key key_1/],
    ["an unknown scope", ["keys", "create", "--scope", "all"], 2, /'all' is invalid.*speech:create/],
    ["empty standard input to speak", ["speak", "-o", "a.wav"], 2, /text is empty/],
    ["a misspelt command", ["modles"], 2, /Unknown command 'modles'\n\(Did you mean models\?\)/],
    ["a misspelt option", ["voices", "list", "--jsn"], 2, /Did you mean --json\?/],
    ["an unknown shell", ["completion", "tcsh"], 2, /bash, zsh, fish/],
    ["a folder without recordings", ["transcribe", "data"], 2, /no recording in data/],
    [
      "two recordings with one transcript",
      ["transcribe", "a.mp3", "a.flac"],
      2,
      /would both be written to a\.txt/,
    ],
    ["an empty text", ["speak", " ", "-o", "a.wav"], 2, /text is empty/],
    ["an empty text to normalize", ["normalize", " "], 2, /text is empty/],
    ["empty standard input", ["normalize"], 2, /text is empty/],
    ["an unknown voice to normalize for", ["normalize", "Hi.", "--voice", "nobody"], 2, /no voice nobody/],
    ["a missing output", ["speak", "Hello."], 2, /-o, --output/],
    ["an invalid speed", ["speak", "Hello.", "-o", "a.wav", "--speed", "9"], 2, /--speed/],
    ["an unknown voice", ["speak", "Hello.", "-o", "a.wav", "--voice", "nobody"], 1, /no voice nobody/],
    ["a missing folder", ["speak", "Hello.", "-o", "/nowhere/a.wav"], 2, /\/nowhere\/a.wav/],
    ["an unsupported format", ["speak", "Hello.", "-o", "a.aac"], 1, /not aac/],
    ["a missing file", ["transcribe", "nothing.wav"], 2, /nothing.wav/],
    ["a file without audio", ["transcribe", "words.txt"], 1, /not audio|Only WAV/],
  ];
  test.each(rejected)("%s is rejected", async (_name, args, code, message) => {
    writeFileSync(join(cli.folder, "words.txt"), "These are only words.");
    for (const name of ["a.mp3", "a.flac"])
      if (args.includes(name)) writeFileSync(join(cli.folder, name), "");
    const ran = await cli.runInTurn(args);
    expect({ code: ran.code, out: ran.out }).toEqual({ code, out: "" });
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain("    at ");
  });

  test.each([
    [["keys", "--help"], /^Usage: loquat keys [\s\S]* create /],
    [["keys", "create", "--help"], /^Usage: loquat keys create [\s\S]*--scope/],
    [["help", "keys"], /^Usage: loquat keys [\s\S]* create /],
    [["models", "-h"], /^Usage: loquat models [\s\S]* pull /],
    [["speak", "--help"], /^Usage: loquat speak \[options\] \[text\]/],
    [["--version"], /^\d+\.\d+\.\d+\n$/],
    [["models", "pull", "--version"], /^\d+\.\d+\.\d+\n$/],
  ])("%p prints help or the version", async (args, printed) => {
    expect(await cli.runInTurn(args)).toEqual({ code: 0, out: expect.stringMatching(printed), err: "" });
  });

  test("every command has --help and --version", async () => {
    const { out } = await cli.runInTurn(["--help"]);
    const listed = [...out.split("Environment variables:")[0]!.matchAll(/^ {2}(\w+) \[options\]/gm)].map(
      ([, name]) => name!,
    );
    expect(listed).toContain("doctor");
    await Promise.all(
      listed.map(async (name) => {
        const [help, version] = await Promise.all([
          cli.runInTurn([name, "--help"]),
          cli.runInTurn([name, "--version"]),
        ]);
        expect({ name, code: help.code, err: help.err }).toEqual({ name, code: 0, err: "" });
        expect(help.out).toStartWith(`Usage: loquat ${name} `);
        expect(Math.max(...help.out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
        expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
      }),
    );
  });

  test("--help lists every command, says where the environment variables are, and fits 80 columns", async () => {
    const { code, out } = await cli.run(["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}transcribe .*transcribe recordings/im);
    expect(out).toMatch(/^Environment variables: .*loquat help environment$/m);
    expect(out.split("\n").length).toBeLessThan(90);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([[["help", "environment"]], [["environment"]], [["environment", "--help"]]])(
    "%p lists every environment variable, in 80 columns",
    async (args) => {
      const { code, out, err } = await cli.runInTurn(args);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      for (const name of Object.keys(VARIABLES)) expect(out).toContain(`  ${name} `);
      expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  test("models list has the whole title of every package, and no column that is empty", async () => {
    const { out } = await cli.runInTurn(["models", "list"]);
    const { packages } = await json("models", "list");
    const text = out.replaceAll(/\s+/g, " ");
    expect(packages.length).toBeGreaterThan(50);
    expect(out).not.toContain("…");
    expect(out).toMatch(/^NAME +SIZE +TITLE$/m);
    const missing = packages.filter(({ title }: { title: string }) => !text.includes(title));
    expect(missing).toEqual([]);
  });
});
