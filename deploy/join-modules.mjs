/**
 * Joins the modules of packages that consist of hundreds, so that a start reads few files: each name that is imported has one file
 * in the package's folder `joined`, and `bun --conditions=joined` finds it there. Everything else stays as it was. Plain
 * JavaScript, for Node.js or Bun.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, posix } from "node:path";

const JOINED = "joined"; // the folder, and the condition

/** `folder` holds the modules. `names`: what is imported of the package, where that is not all that it exports. */
const PACKAGES = [
  { name: "typebox", folder: "build" },
  { name: "@sinclair/typebox", folder: "build/esm" },
  {
    name: "drizzle-orm",
    folder: "",
    names: [
      ".",
      "./better-sqlite3",
      "./better-sqlite3/migrator",
      "./node-postgres",
      "./node-postgres/migrator",
      "./pg-core",
      "./sqlite-core",
      "./sqlite-proxy",
    ],
  },
];

/** `modules` is the path of node_modules, `bun` that of Bun's binary. False where a package stays as it was. */
export function joinModules(modules, bun) {
  return PACKAGES.map(({ name, ...parts }) => joinPackage(join(modules, name), parts, bun)).every(Boolean);
}

function joinPackage(path, { folder, names }, bun) {
  const description = join(path, "package.json");
  if (!existsSync(description)) return false;
  const content = JSON.parse(readFileSync(description, "utf8"));
  const entries = entriesOf(content.exports, names ?? Object.keys(content.exports));
  const to = join(path, JOINED);
  rmSync(to, { recursive: true, force: true });
  if (!build(bun, { path, folder, files: Object.values(entries), to })) return false;
  for (const [name, file] of Object.entries(entries)) {
    const { [JOINED]: _, ...others } = content.exports[name];
    content.exports[name] = { [JOINED]: `./${posix.join(JOINED, posix.relative(folder, file))}`, ...others };
  }
  const changed = `${description}.${process.pid}`;
  writeFileSync(changed, JSON.stringify(content, null, 2));
  renameSync(changed, description); // not written over: it may be a link to another installation's
  return true;
}

function build(bun, { path, folder, files, to }) {
  const naming = ["--entry-naming", `[dir]/[name]${extname(files[0])}`, "--chunk-naming", "[hash].mjs"];
  const { status } = spawnSync(
    bun,
    [
      "build",
      ...["--target=bun", "--format=esm", "--splitting", "--minify", "--packages=external", ...naming],
      ...["--root", join(path, folder), "--outdir", to],
      ...files.map((file) => join(path, file)),
    ],
    { stdio: "ignore" },
  );
  return status === 0;
}

/** By name, the file that a package exports to `import`. */
function entriesOf(exports, names) {
  const files = names.map((name) => {
    const file = exports[name]?.import;
    return [name, typeof file === "object" ? file?.default : file];
  });
  return Object.fromEntries(files.filter(([, file]) => typeof file === "string"));
}
