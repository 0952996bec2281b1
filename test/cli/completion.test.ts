/** Promise: the scripts of `loquat completion` complete commands, options and values in the shells that are installed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "./process.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

let cli: Cli;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  cli = openCli();
  for (const shell of SHELLS) {
    const { code, out, err } = await cli.run(["completion", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    writeFileSync(join(cli.folder, shell), out);
    scripts[shell] = out;
  }
  writeFileSync(join(cli.folder, "talk.mp3"), "");
});
afterAll(() => cli[Symbol.dispose]());

async function runIn(shell: string, script: string): Promise<string[]> {
  const child = Bun.spawn([shell, "-c", script], { cwd: cli.folder, stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  return out.split("\n").filter((line) => line !== "");
}

/** What a shell offers for the last word of a line. */
const OFFERS: Record<string, (line: string) => Promise<string[]>> = {
  bash: (line) => {
    const words = line.split(" ");
    return runIn(
      "bash",
      `source ./bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
       $(complete -p loquat | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  },
  zsh: async (line) => {
    const lines = await runIn("zsh", `source ${import.meta.dir}/offers.zsh '${line}'`);
    return lines.flatMap((text) => /OFFER:(\S+)/.exec(text)?.[1] ?? []);
  },
  fish: async (line) => {
    const offers = await runIn("fish", `source ./fish; complete -C '${line}'`);
    return offers.map((offer) => offer.split("\t")[0]!);
  },
};

const CASES: [line: string, offers: string[]][] = [
  ["loquat mod", ["models"]],
  ["loquat keys r", ["revoke", "rotate"]],
  ["loquat models pull --mi", ["--mirror"]],
  ["loquat transcribe --format v", ["verbose_json", "vtt"]],
  ["loquat org set-plan org_1 un", ["unmetered"]],
  ["loquat completion f", ["fish"]],
  ["loquat keys create --name list --te", ["--test"]],
];

for (const [shell, offersOf] of Object.entries(OFFERS)) {
  const isMissing = Bun.which(shell) === null;
  describe.skipIf(isMissing)(`${shell}${isMissing ? " (skipped: it is not installed)" : ""}`, () => {
    test.each(CASES)("completes %p", async (line, offers) => {
      expect((await offersOf(line)).sort()).toEqual(offers);
    });
  });
}

test("bash completes files where no word fits", async () => {
  const offers = await runIn("bash", "source ./bash; complete -p loquat");
  expect(offers[0]).toContain("-o default");
  expect(await OFFERS.bash!("loquat transcribe ta")).toEqual([]);
});

test.each(SHELLS)(
  "the script for %s has every kind of word, and parses where the shell is installed",
  async (shell) => {
    for (const word of ["transcribe", "set-plan", "output-dir", "verbose_json"])
      expect(scripts[shell]).toContain(word);
    if (Bun.which(shell)) expect(await runIn(shell, `${shell} -n ./${shell}`)).toEqual([]);
  },
);
