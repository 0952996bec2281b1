/** Promise: eSpeak NG sounds the same, to the bit, with the remainder that is put into its code. */
import { afterAll, describe, expect, setSystemTime, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Espeak } from "@echogarden/espeak-ng-emscripten";
import { hasPackage, readAsset } from "../../../src/resources.ts";
import { openEspeak } from "../../../workers/g2p/open-espeak.ts";
import { QUICK_REMAINDER } from "../../../workers/g2p/quick-remainder.ts";

const PACKAGE = "@echogarden/espeak-ng-emscripten";
const missing = hasPackage(PACKAGE) ? "" : ` (skipped: ${PACKAGE} is not installed)`;
const DIVISOR = 2n ** 31n - 1n;

const folder = mkdtempSync(join(tmpdir(), "loquat-remainder-"));
afterAll(() => {
  setSystemTime();
  rmSync(folder, { recursive: true });
});

/** The function in the code, where a division gives -1. */
const remainder = new Function(
  ...["a", "b"],
  `let ua; const Bg = () => {}; const remainder = function (a, b) ${QUICK_REMAINDER.by} return -1; };
   return remainder(a, b);`,
);

describe("the remainder", () => {
  const edges = [
    0n,
    1n,
    DIVISOR - 1n,
    DIVISOR,
    DIVISOR + 1n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 61n,
    2n ** 62n - 1n,
  ];
  const multiples = [2n, 3n, 2n ** 30n, 2n ** 31n - 1n].flatMap((factor) =>
    [-1n, 0n, 1n].map((more) => factor * DIVISOR + more),
  );
  const drawn = Array.from({ length: 1000 }, (_, at) => BigInt(at) * 2_147_481n * 1_103_515_245n + 12_345n);

  test("is that of a division, of every number with 62 bits", () => {
    const numbers = [...edges, ...multiples, ...drawn].filter((number) => number < 2n ** 62n);
    for (const number of numbers) {
      const [a, b] = [number & 0xffff_ffffn, number >> 32n].map((half) => Number(BigInt.asIntN(32, half)));
      expect([number, remainder(a, b)]).toEqual([number, Number(number % DIVISOR)]);
    }
  });

  test("of larger numbers is left to the division", () => {
    expect(remainder(0, 2 ** 30)).toBe(-1);
    expect(remainder(-1, -1)).toBe(-1);
  });
});

describe.skipIf(missing !== "")(`eSpeak NG${missing}`, () => {
  /** The code as it is published. */
  async function openPublished(): Promise<Espeak> {
    const code = join(folder, "published.js");
    copyFileSync(fileURLToPath(import.meta.resolve(PACKAGE)), code);
    const { default: open } = await import(code);
    const data = readAsset(`${PACKAGE}/espeak-ng.data`);
    const module = await open({ getPreloadedPackage: () => data.buffer, print() {}, printErr() {} });
    return new module.eSpeakNGWorker();
  }

  function chunksOf(espeak: Espeak, voice: string) {
    const chunks: unknown[] = [];
    espeak.set_voice(voice);
    espeak.synthesize("Hoy hace muy buen tiempo.", (audio, events) => {
      chunks.push(audio, events);
      return 0;
    });
    return chunks;
  }

  test("sounds the same with it, and its words are at the same times", async () => {
    setSystemTime(new Date("2026-01-01T00:00:00Z")); // its noise begins with the time
    const published = await openPublished();
    const { espeak } = await openEspeak();
    for (const voice of ["es+f2", "de+m3", "cmn+f2", "en+whisper"])
      expect({ voice, chunks: chunksOf(espeak, voice) }).toEqual({
        voice,
        chunks: chunksOf(published, voice),
      });
  });

  test("has it in its code", async () => {
    await openEspeak();
    const { default: open } = await import(PACKAGE);
    expect(open.toString()).toContain("1073741824");
  });
});
