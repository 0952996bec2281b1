/** Promise: what plans streams is the speed of an engine's last runs, and before them that of its installation. */
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Package, readPackages } from "../../../src/models/packages/package.ts";
import { keepSpeed, ranOf } from "../../../src/models/store/measured-speeds.ts";
import { speedsOf } from "../../../src/server/engines/speeds.ts";

test("a speed is that of the last runs, that of the installation before them, and unknown without either", () => {
  const weights = mkdtempSync(join(tmpdir(), "loquat-speeds-"));
  const packages = readPackages("models");
  const installed = (name: string) => (name === "kokoro-82m" ? { package: packages.get(name)! } : null);
  let ran: number | null = null;
  const store = { installed, list: () => [] };
  const speed = speedsOf({ weights, store, registry: { speed: () => ran }, device: "cpu" });
  expect(speed("kokoro-82m")).toBeNull();
  keepSpeed(weights, ranOf(packages.get("kokoro-82m") as Package, "cpu"), { speed: 1.2, hasGpu: false });
  expect(speed("kokoro-82m")).toBe(1.2);
  ran = 0.8;
  expect(speed("kokoro-82m")).toBe(0.8);
  expect(speed("flite")).toBeNull();
});
