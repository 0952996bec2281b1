/** Promise: what was measured is that of one version and precision, and a damaged file means that nothing was measured. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  keepLoudness,
  keepSpeed,
  readLoudness,
  readSpeeds,
  speedText,
} from "../../../src/models/store/measured-speeds.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-speeds-"));
afterAll(() => rmSync(weights, { recursive: true }));

const voice = (version: string, variant: string | null = null) => ({
  package: { name: "voice", version },
  variant,
});
const onCpu = (speed: number) => ({ speed, hasGpu: false });

test("it is kept by version, precision and device", () => {
  expect(readSpeeds(weights, false)(voice("1"))).toBeNull();
  keepSpeed(weights, voice("1"), onCpu(2.3456));
  keepSpeed(weights, voice("1", "q8"), onCpu(0.7));
  const speeds = readSpeeds(weights, false);
  expect([speeds(voice("1")), speeds(voice("1", "q8")), speeds(voice("2"))]).toEqual([2.35, 0.7, null]);
  expect(readSpeeds(weights, true)(voice("1"))).toBeNull();
});

test("another version takes the place of the one before", () => {
  keepSpeed(weights, voice("2"), onCpu(3));
  const speeds = readSpeeds(weights, false);
  expect([speeds(voice("1")), speeds(voice("2"))]).toEqual([null, 3]);
});

test("how loud voices spoke is kept beside it, by version", () => {
  const { package: pkg } = voice("2");
  expect(readLoudness(weights, pkg)).toEqual({});
  keepLoudness(weights, pkg, { anna: -19.5 });
  keepSpeed(weights, voice("2", "q8"), onCpu(5));
  expect(readLoudness(weights, pkg)).toEqual({ anna: -19.5 });
  expect(readLoudness(weights, voice("1").package)).toEqual({});
  expect(readSpeeds(weights, false)(voice("2"))).toBe(3);
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "[".repeat(200_000),
  '{"version":"2","machines":{},"loudness":{"anna":-1e300}}',
  '{"version":"2","machines":null}',
  '{"version":"2","machines":{"x":"y"}}',
])("a file with %p is as none, and is written again", (text) => {
  const [file] = readdirSync(join(weights, "speeds"));
  writeFileSync(join(weights, "speeds", file!), text);
  expect(readSpeeds(weights, false)(voice("2"))).toBeNull();
  expect(readLoudness(weights, voice("2").package)).toEqual({});
  keepSpeed(weights, voice("2"), onCpu(4));
  expect(readSpeeds(weights, false)(voice("2"))).toBe(4);
  expect(readdirSync(join(weights, "speeds"))).toEqual(["voice.json"]);
});

test("a folder in its place is as none, and makes room", () => {
  rmSync(join(weights, "speeds"), { recursive: true });
  mkdirSync(join(weights, "speeds", "voice.json", "deep"), { recursive: true });
  expect(readSpeeds(weights, false)(voice("2"))).toBeNull();
  keepSpeed(weights, voice("2"), onCpu(4));
  expect(readSpeeds(weights, false)(voice("2"))).toBe(4);
});

test("it is removed with its package", () => {
  const contents = { model: { path: "model.onnx", bytes: "the model" } };
  storePackage(weights, packageOf("voice", "kokoro", { contents }), contents);
  expect(remove(weights, "voice")).toBe(true);
  expect(readdirSync(join(weights, "speeds"))).toEqual([]);
});

test("it is never rounded up to real time", () => {
  expect([0.97, 0.7, 2.44, 16.3, 198].map(speedText)).toEqual(["0.9", "0.7", "2.4", "16", "198"]);
});
