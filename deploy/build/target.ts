/** What an executable is made for: a platform, and a flavour that says whether it holds the GPL packages. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Where the build keeps what is slow to make or to fetch. */
export const CACHE = join(ROOT, "node_modules", ".cache", "loquat-build");

export const OUTPUT = join(ROOT, "dist");

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "windows-x64"] as const;
type PlatformName = (typeof PLATFORMS)[number];

const FLAVOURS = ["full", "apache"] as const;
export type Flavour = (typeof FLAVOURS)[number];

/** `platform` and `arch` as Node.js names them. */
export type Target = { name: PlatformName; platform: "linux" | "darwin" | "win32"; arch: string };

export class BuildError extends Error {}

export function targetOf(name: string): Target {
  const known = PLATFORMS.find((each) => each === name);
  if (known === undefined) throw new BuildError(`There is no target ${name}, only ${PLATFORMS.join(", ")}.`);
  const [system, arch] = known.split("-") as ["linux" | "darwin" | "windows", string];
  return { name: known, platform: system === "windows" ? "win32" : system, arch };
}

export const hostTarget = (): string =>
  `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

export const ALL_TARGETS: readonly string[] = PLATFORMS;
export const ALL_FLAVOURS: readonly Flavour[] = FLAVOURS;

export const fileName = ({ name, platform }: Target, flavour: Flavour): string =>
  `loquat${flavour === "apache" ? "-apache" : ""}-${name}${platform === "win32" ? ".exe" : ""}`;
