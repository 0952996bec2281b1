/**
 * Bundles the server and its workers and joins them with Bun's runtime:
 *
 *   src/main.ts, workers ──bundled, split, minified, bytecode──┐
 *   models/, drizzle/ ─────────────────────────────────────────┼──> Bun's runtime + all of them, in one file
 *   STAGE/packed: natives, WebAssembly, voices, pages, guides ─┘
 */
import { join } from "node:path";
import { loaders, PISCINA_WORKER } from "./loaders.ts";
import { BuildError, type Flavour, ROOT, type Target } from "./target.ts";
import { WORKERS } from "./workers.ts";

const bundleOptions = (flavour: Flavour) => {
  const entrypoints = ["src/main.ts", ...WORKERS.map((name) => `workers/${name}.ts`), PISCINA_WORKER];
  return {
    entrypoints: entrypoints.map((path) => join(ROOT, path)),
    root: ROOT,
    target: "bun",
    format: "esm",
    splitting: true, // one copy of what several workers use: Piscina's symbols must be the same in all
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    env: "disable",
    plugins: [loaders(flavour)],
    throw: false,
  } satisfies Partial<Bun.BuildConfig>;
};

/** The names of the npm packages whose code is in the server, its workers and its pages. */
export async function bundledPackages(flavour: Flavour): Promise<string[]> {
  const server = await Bun.build({ ...bundleOptions(flavour), metafile: true });
  const pages = await Bun.build({ entrypoints: [join(ROOT, "src/web/main.tsx")], metafile: true });
  const files = [server, pages].flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const names = files.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}

/** `stage`: a folder with `models`, `drizzle` and `packed`. `runtime`: a Bun executable of the target; null: the registry's. */
type CompileOptions = {
  target: Target;
  flavour: Flavour;
  stage: string;
  outfile: string;
  runtime: string | null;
};

export async function compile({ target, flavour, stage, outfile, runtime }: CompileOptions): Promise<void> {
  const { success, logs } = await Bun.build({
    ...bundleOptions(flavour),
    bytecode: true,
    bytecodeDepth: 0, // 13 MB less than all of it, and a start that is 20 ms slower
    compile: {
      target: `bun-${target.name}` as Bun.Build.CompileTarget,
      outfile,
      assets: ["models", "drizzle", "packed"].map((name) => join(stage, name)),
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(runtime === null ? {} : { executablePath: runtime }),
    },
  });
  if (success) return;
  const reasons = logs.map(String).join("\n");
  throw new BuildError(`${target.name}, flavour ${flavour}, was not built:\n${reasons}`);
}
