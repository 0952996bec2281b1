/**
 * What an image consists of. The Dockerfile gives `volume` to the image's user, so it is apart from the rest.
 *
 *   root/usr/local/bin/loquat                    the executable
 *   root/lib, usr/lib, usr/share/pocketsphinx    the C library and PocketSphinx; other libraries are in the executable
 *   root/etc                                     the user, name resolution, certificates of authorities
 *   volume/loquat                                the volume, which is empty
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { BuildError } from "../build/target.ts";

/** Nobody's on usual systems, and the same in all images. */
export const USER_ID = 10_001;

const FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/** Of the C library: what the libraries inside the executable are linked with, and what resolves names. */
const C_LIBRARY = [
  ...["libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"],
  ...["libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2"],
];

/** Opened by name at run time, so `ldd` of the executable does not list them. */
const OPENED = [...C_LIBRARY, "libpocketsphinx.so.3", "libsphinxbase.so.3"];

const FILES: Record<string, string> = {
  "etc/passwd": `loquat:x:${USER_ID}:${USER_ID}::/var/lib/loquat:/usr/local/bin/loquat\n`,
  "etc/group": `loquat:x:${USER_ID}:\n`,
  "etc/nsswitch.conf": "hosts: files dns\n",
};

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
const SPHINX_MODEL = "/usr/share/pocketsphinx";

/** Returns what this machine does not have, and the image can do without. */
export function makeImage(folder: string, executable: string): string[] {
  const [root, volume] = [join(folder, "root"), join(folder, "volume", "loquat")];
  const libraries = FOLDERS.find((folder) => existsSync(join(folder, "libc.so.6")));
  if (!libraries) throw new BuildError("The C library was not found. Run this on Debian or Ubuntu.");
  if (!existsSync(executable)) throw new BuildError(`There is no ${executable}. Make it with: npm run build`);
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["usr/lib", "usr/local/bin", "var/lib", "etc", "tmp"])
    mkdirSync(join(root, name), { recursive: true });
  mkdirSync(volume, { recursive: true });
  chmodSync(volume, 0o700);
  chmodSync(join(root, "tmp"), 0o1777);
  symlinkSync("usr/lib", join(root, "lib"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(root, name), content);
  cpSync(executable, join(root, "usr/local/bin/loquat"));
  chmodSync(join(root, "usr/local/bin/loquat"), 0o755);
  const opened = OPENED.map((name) => join(libraries, name)).filter((path) => existsSync(path));
  for (const path of new Set([executable, ...opened].flatMap(neededBy))) copyInto(root, path);
  for (const path of opened) copyInto(root, path);
  const others = [CERTIFICATES, SPHINX_MODEL].filter((path) => existsSync(path));
  for (const path of others) copyInto(root, path);
  const found = [...opened.map((path) => basename(path)), ...others];
  return [...OPENED, CERTIFICATES, SPHINX_MODEL].filter((each) => !found.includes(each));
}

/** The paths of the libraries that a program or library is linked with, the loader included. */
function neededBy(path: string): string[] {
  const { status, stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
  if (status !== 0) throw new BuildError(`ldd cannot read ${path}.`);
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, library]) => library!);
}

/** Under the same path; a link as the file that it leads to. */
function copyInto(root: string, path: string): void {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(path), target, { recursive: true });
}
