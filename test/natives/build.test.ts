/** Promise: a build that would go wrong fails, and says which package or target is the reason. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { componentsOf, licenseTexts } from "../../deploy/build/components.ts";
import { withoutUnused } from "../../deploy/build/espeak-data.ts";
import { REPLACEMENTS, replaced } from "../../deploy/build/loaders.ts";
import { GPL_PACKAGES, nativesOf } from "../../deploy/build/natives.ts";
import { sbomOf } from "../../deploy/build/sbom.ts";
import { fileName, ROOT, targetOf } from "../../deploy/build/target.ts";
import { WORKERS } from "../../deploy/build/workers.ts";
import { MINIMP3_BASE64 } from "../../workers/media/mp3/minimp3-module.ts";

const read = (name: string) => readFileSync(join(ROOT, "node_modules", name), "utf8");

describe("replacements in packages", () => {
  test.each(REPLACEMENTS)("$file has the text that is replaced, once", (replacement) => {
    const result = replaced(read(replacement.file), replacement);
    expect(result).toContain(replacement.by);
    expect(result).not.toContain(replacement.text);
  });

  test.each(REPLACEMENTS)("$file without that text fails the build by name", (replacement) => {
    expect(() => replaced("// rewritten", replacement)).toThrow(replacement.file);
    expect(() => replaced(replacement.text.repeat(2), replacement)).toThrow(replacement.file);
  });
});

test("dictionaries that no voice needs become zeros, and the rest stays", () => {
  const code =
    'x"/d/fo_dict",start:1,end:3},{filename:"/d/ia_dict",start:3,end:4},{filename:"/d/yue_dict",start:5,end:6}';
  expect([...withoutUnused(new Uint8Array([1, 2, 3, 4, 5, 6, 7]), code)]).toEqual([1, 0, 0, 0, 5, 0, 7]);
  expect(() => withoutUnused(new Uint8Array(7), "rewritten")).toThrow("espeak-ng.js");
});

describe("targets", () => {
  test("a file is named after its flavour and its platform", () => {
    expect(fileName(targetOf("linux-x64"), "full")).toBe("loquat-linux-x64");
    expect(fileName(targetOf("windows-x64"), "apache")).toBe("loquat-apache-windows-x64.exe");
    expect(() => targetOf("plan9-x64")).toThrow("There is no target plan9-x64");
  });

  test("the flavour apache has no file of a GPL package", () => {
    const { files, missing } = nativesOf(targetOf("linux-x64"), "apache", null);
    expect(files.map(({ name }) => name)).toContain("flite.wasm");
    const packages = files.map((file) => file.package);
    expect(packages.filter((name) => GPL_PACKAGES.includes(name))).toEqual([]);
    expect(missing.filter((each) => GPL_PACKAGES.some((name) => each.includes(name)))).toEqual([]);
  });

  test("a library that is not found is named", () => {
    const { missing } = nativesOf(targetOf("linux-x64"), "apache", "/nowhere");
    expect(missing).toEqual(["libgcc_s.so.1 of gcc", "libstdc++.so.6 of gcc"]);
  });
});

test("every worker is a file", () => {
  expect(WORKERS.filter((name) => !existsSync(join(ROOT, "workers", `${name}.ts`)))).toEqual([]);
});

describe("what is packed", () => {
  const components = componentsOf(["elysia", "@evan/opus", "elysia"]);

  test("is listed once, with the libraries that packages hold", () => {
    expect(components.map(({ name, license }) => [name, license])).toEqual([
      ["@evan/opus", "MIT"],
      ["libopus, in @evan/opus", "BSD-3-Clause"],
      ["elysia", "MIT"],
    ]);
  });

  test("everything that is packed comes with its licences", () => {
    const text = licenseTexts(components);
    expect(text).toStartWith("Loquat\n");
    expect(text).toContain(read("elysia/LICENSE").trim());
  });

  test("of minimp3 is what its build has recorded", () => {
    const wasm = Uint8Array.fromBase64(MINIMP3_BASE64);
    const recorded = readFileSync(join(ROOT, "workers/media/mp3/minimp3-module.ts"), "utf8");
    expect(recorded).toContain(createHash("sha256").update(wasm).digest("hex"));
  });

  test("to decode without FFmpeg is under permissive licences, whose texts are there", () => {
    const decoders = componentsOf([
      "minimp3",
      "ogv",
      "opus-decoder",
      "@wasm-audio-decoders/common",
      "simple-yenc",
    ]);
    expect(decoders.map(({ name, license }) => [name, license])).toEqual([
      ["@wasm-audio-decoders/common", "MIT"],
      ["puff, in @wasm-audio-decoders/common", "Zlib"],
      ["minimp3", "CC0-1.0"],
      ["ogv", "MIT"],
      ["libogg, in ogv", "BSD-3-Clause"],
      ["libvorbis, in ogv", "BSD-3-Clause"],
      ["opus-decoder", "MIT"],
      ["libopus, in opus-decoder", "BSD-3-Clause"],
      ["simple-yenc", "MIT"],
    ]);
    const withText = decoders.filter(({ license }) => license === "BSD-3-Clause");
    expect(withText.every(({ text }) => text?.includes("Redistribution and use"))).toBe(true);
  });

  test("is in a CycloneDX bill of materials", () => {
    const product = { name: "loquat-linux-x64", version: "1.0.0", sha256: "ab".repeat(32) };
    const bom = JSON.parse(sbomOf(product, components));
    expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    expect(bom.metadata.component).toMatchObject({ name: "loquat-linux-x64", hashes: [{ alg: "SHA-256" }] });
    expect(bom.components.map((each: { purl?: string }) => each.purl)).toContain(
      `pkg:npm/%40evan/opus@${JSON.parse(read("@evan/opus/package.json")).version}`,
    );
  });
});
