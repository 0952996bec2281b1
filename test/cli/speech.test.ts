/** Promise: speak, normalize and transcribe work as tools: files, folders and standard streams in, results and nothing else out. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { parseWav } from "../../src/audio/reading/wav-file.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Cli, MAIN, openCli } from "./process.ts";

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli[Symbol.dispose]());

const path = (name: string) => join(cli.folder, name);

describe("normalize", () => {
  test("prints the segments of a text, one a line", async () => {
    const { code, out, err } = await cli.runInTurn([
      "normalize",
      "Dr. Smith paid $5 at 5 p.m. That was late.",
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe("Doctor Smith paid five dollars at five PM.\nThat was late.\n");
  });

  test("reads standard input, in the language of the option or the voice", async () => {
    const spoken = async (...options: string[]) =>
      (await cli.run(["normalize", ...options], {}, "31/12/2024, 5 km")).out;
    expect(await spoken("--language", "en-GB")).toStartWith("the thirty-first of December");
    expect(await spoken("--language", "de")).toBe("31/12/2024, 5 km\n");
    for (const voice of ["female-warm", "alloy"])
      expect(await spoken("--voice", voice)).toStartWith("December thirty-first");
  });

  test("--json has the pauses", async () => {
    expect(
      JSON.parse(
        (await cli.runInTurn(["normalize", "**One** <laugh>\n\n2", "--voice", "female-warm", "--json"])).out,
      ),
    ).toEqual({
      language: "en-US",
      voice: "female-warm",
      segments: [
        { text: "One", pause_ms: 600 },
        { text: "two", pause_ms: 0 },
      ],
    });
  });

  test("--phonemes says when the engine of the voice reads text", async () => {
    const ran = await cli.runInTurn(["normalize", "1 km", "--voice", "female-warm", "--phonemes"]);
    expect(ran).toEqual({
      code: 0,
      out: "one kilometer\n",
      err: "No phonemes: female-warm is spoken by flite, which reads the text itself.\n",
    });
  });
});

describe("speak", () => {
  test.each([
    ["hello.wav", "RIFF"],
    ["hello.flac", "fLaC"],
    ["hello.opus", "OggS"],
  ])("speak writes %s in the format of its extension", async (name, magic) => {
    const { code, out, err } = await cli.run(["speak", "Good morning.", "-o", path(name)]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain(name);
    expect(readFileSync(path(name)).subarray(0, 4).toString("latin1")).toBe(magic);
  });

  test("speak takes the names of other services, in their formats, without a server", async () => {
    const { code, out, err } = await cli.run([
      ...["speak", "Good morning.", "--model", "tts-1", "--voice", "alloy", "-o", path("alias")],
    ]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(/alias: \d\.\d\d s of mp3, female-warm\n$/);
    expect(readFileSync(path("alias")).readUInt16BE(0) & 0xff_e0).toBe(0xff_e0); // an MPEG frame
    expect(existsSync(path("data"))).toBe(false);
  });

  test.skipIf(!installedFamilies().has("decode"))(
    `speak writes AAC under the name of another service${installedFamilies().has("decode") ? "" : " (skipped: node-av is not installed)"}`,
    async () => {
      const names = ["--model", "kokoro", "--voice", "Ada"];
      expect((await cli.run(["speak", "Hi.", ...names, "-o", path("hi.aac")])).code).toBe(0);
      expect(readFileSync(path("hi.aac")).readUInt16BE(0) & 0xff_f0).toBe(0xff_f0); // an ADTS frame
    },
  );

  describe("--captions", () => {
    const text = "Dr. Smith paid $5. It was late, and he went home.";
    const captioned = async (name: string, ...more: string[]) => {
      const ran = await cli.runInTurn([
        "speak",
        text,
        "-o",
        path("said.wav"),
        "--captions",
        path(name),
        ...more,
      ]);
      expect(ran.code).toBe(0);
      return readFileSync(path(name), "utf8");
    };

    test("writes subtitles of the text, a sentence at a time", async () => {
      expect(await captioned("said.vtt")).toMatch(
        /^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0\d\.\d{3}\nDr\. Smith paid \$5\.\n\n00:00:0.* --> .*\nIt was late, and he went home\.\n\n$/,
      );
      expect(await captioned("said.srt")).toStartWith("1\n00:00:00,");
    });

    test("writes the words as JSON, whose times follow the speed", async () => {
      type Words = { timestamps: { word: string; start_time: number; end_time: number }[] };
      const words = async (...more: string[]) =>
        (JSON.parse(await captioned("said.json", ...more)) as Words).timestamps;
      const [natural, slow] = [await words(), await words("--speed", "0.5")];
      expect(natural.map(({ word }) => word)).toEqual(
        "Dr Smith paid $5 It was late and he went home".split(" "),
      );
      expect(slow.at(-1)!.end_time / natural.at(-1)!.end_time).toBeCloseTo(2, 1);
    });

    test("refuses another kind of file before it speaks", async () => {
      const ran = await cli.runInTurn([
        "speak",
        text,
        "-o",
        path("never.wav"),
        "--captions",
        path("never.txt"),
      ]);
      expect(ran.code).not.toBe(0);
      expect(ran.err).toContain(".vtt, .srt or .json");
      expect(existsSync(path("never.wav"))).toBe(false);
    });
  });

  test.each([[["-"]], [[]]])("speak reads standard input for %p", async (text) => {
    const args = [...text, "--voice", "male-deep"];
    const { code } = await cli.run(["speak", ...args, "-o", path("input.wav")], {}, "Hello there.\n");
    expect(code).toBe(0);
    await cli.runInTurn(["speak", "Hello there.", "--voice", "male-deep", "-o", path("argument.wav")]);
    expect(readFileSync(path("input.wav"))).toEqual(readFileSync(path("argument.wav")));
    expect(existsSync(path("-"))).toBe(false);
  });

  test("speak -o - writes the same bytes to standard output, with the true length in the header", async () => {
    const child = Bun.spawn(
      ["sh", "-c", `exec "$0" "$@" > piped.wav`, process.execPath, MAIN, "speak", "-", "-o", "-"],
      {
        cwd: cli.folder,
        env: { PATH: Bun.env.PATH },
        stdin: Buffer.from("Hello there."),
        stderr: "pipe",
      },
    );
    expect(await child.exited).toBe(0);
    await cli.runInTurn(["speak", "Hello there.", "-o", path("argument.wav")]);
    expect(readFileSync(path("piped.wav"))).toEqual(readFileSync(path("argument.wav")));
  });

  test("a closed output pipe ends the command without an error", async () => {
    const text = "It was a long story, and he told all of it. ".repeat(3); // more than a pipe holds
    const child = Bun.spawn(
      [
        "sh",
        "-c",
        `{ "$0" "$@"; echo "code $?" >&2; } | head -c 4`,
        process.execPath,
        MAIN,
        "speak",
        text,
        "-o",
        "-",
      ],
      { cwd: cli.folder, env: { PATH: Bun.env.PATH }, stderr: "pipe" },
    );
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(out).toBe("RIFF");
    expect(err.replace(/^-: .*\n/, "")).toBe("code 0\n");
  });

  test("speak --play gives a WAV file to the first player that is installed, and removes it", async () => {
    const players = path("players");
    mkdirSync(players);
    writeFileSync(
      join(players, "aplay"),
      `#!/bin/sh\necho "$@" > '${path("played")}'\nhead -c 4 "$2" >> '${path("played")}'\n`,
      { mode: 0o755 },
    );
    const { code, out } = await cli.run(["speak", "Hello.", "--play"], { PATH: `${players}:/usr/bin:/bin` });
    expect({ code, out }).toEqual({ code: 0, out: "" });
    const [args, magic] = readFileSync(path("played"), "utf8").split("\n");
    expect(magic).toBe("RIFF");
    expect(args).toMatch(/^-q \/.*speech\.wav$/);
    expect(existsSync(args!.slice(3))).toBe(false);
    const without = await cli.run(["speak", "Hello.", "--play"], { PATH: path("nowhere") });
    expect(without).toMatchObject({ code: 2, out: "", err: expect.stringContaining("aplay, ffplay") });
  });
});

const canRecognize = installedFamilies().has("sphinx");
describe.skipIf(!canRecognize)(
  `transcribe${canRecognize ? "" : " (skipped: PocketSphinx is missing)"}`,
  () => {
    const SECONDS = 700; // longer than the API takes
    beforeAll(async () => {
      const text = "The weather is very fine today.";
      mkdirSync(path("talks"));
      for (const name of ["talks/a.wav", "talks/b.flac"])
        await cli.runInTurn(["speak", text, "-o", path(name), "--voice", "male-deep", "--speed", "0.9"]);
      writeFileSync(path("talks/notes.md"), "No recording.");
      writeFileSync(path("broken.mp3"), "This is text.");
      await writeLong(path("talks/a.wav"), path("long.wav"));
    }, 120_000);

    /** The recording at the beginning and at the end of a long silence. */
    async function writeLong(from: string, to: string): Promise<void> {
      const { samples, sampleRate } = parseWav(readFileSync(from), 60)!;
      const whole = new Int16Array(SECONDS * sampleRate);
      const speech = toInt16(samples);
      whole.set(speech, 0);
      whole.set(speech, whole.length - speech.length);
      await Bun.write(to, [wavHeader(whole.length, sampleRate), whole]);
    }

    const transcribe = (...args: string[]) => cli.runInTurn(["transcribe", ...args]);

    test("one file goes to standard output, in the format that is asked for", async () => {
      const { code, out } = await transcribe(path("talks/a.wav"), "--format", "srt");
      expect(code).toBe(0);
      expect(out).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n.*weather/);
    });

    test("a model may be called by the name of another service", async () => {
      const { code, out } = await transcribe(path("talks/a.wav"), "--model", "whisper-1");
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("weather") });
    });

    test("- reads standard input", async () => {
      const name = "talks/b.flac";
      const { out } = await transcribe(path(name));
      const child = Bun.spawn(
        ["sh", "-c", `exec "$0" "$@" < ${path(name)}`, process.execPath, MAIN, "transcribe", "-"],
        {
          cwd: cli.folder,
          env: { PATH: Bun.env.PATH },
          stderr: "pipe",
        },
      );
      expect(await child.stdout.text()).toBe(out);
      expect(out).toContain("weather");
    });

    test("a folder's recordings go to files beside them, and are not replaced without --force", async () => {
      const first = await transcribe(path("talks"));
      expect(first).toMatchObject({ code: 0, out: "" });
      for (const name of ["a.txt", "b.txt"])
        expect(readFileSync(path(`talks/${name}`), "utf8")).toContain("weather");
      expect(existsSync(path("talks/notes.txt"))).toBe(false);
      const again = await transcribe(path("talks"));
      expect(again).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("a.txt exists. Add --force"),
      });
      const forced = await transcribe(path("talks/b.flac"), "--output-dir", path("talks"), "--force");
      expect(forced.code).toBe(0);
    });

    test("a file that is not audio does not stop the others from being transcribed", async () => {
      const files = [path("broken.mp3"), path("talks/a.wav")];
      const { code, out, err } = await transcribe(...files, "--output-dir", path("out"), "--format", "vtt");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/broken\.mp3: .*not audio|Only WAV/);
      expect(readFileSync(path("out/a.vtt"), "utf8")).toStartWith("WEBVTT");
      expect(existsSync(path("out/broken.vtt"))).toBe(false);
    });

    test("what is refused makes no folder", async () => {
      const options = ["--output-dir", path("unused"), "--model", "unknown"];
      expect((await transcribe(path("talks/a.wav"), ...options)).code).not.toBe(0);
      expect(existsSync(path("unused"))).toBe(false);
    });

    test("a recording longer than the API takes is transcribed to its end", async () => {
      const { code, out } = await transcribe(path("long.wav"), "--format", "verbose_json");
      expect(code).toBe(0);
      const { duration, segments } = JSON.parse(out);
      expect(duration).toBe(SECONDS);
      expect(segments[0].start).toBeLessThan(1);
      expect(segments.at(-1).start).toBeGreaterThan(SECONDS - 4);
    });
  },
);
