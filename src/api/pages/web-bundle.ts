/**
 * The bundle of the dashboard, the playground and the documentation, built on first use and kept in memory; an executable was built with it.
 * Chunks carry a hash in their names, so that browsers fetch each only once; the pages and the audio worklets keep theirs.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isPacked, resource } from "../../resources.ts";

/** By name: the dashboard with the playground, and the frame of the documentation. */
export const DASHBOARD = "page.html";
export const DOCS_FRAME = "docs-page.html";
const PAGES = [DASHBOARD, DOCS_FRAME];
const PAGE_FILES = [DASHBOARD, `docs/${DOCS_FRAME}`].map((path) => resource(`src/web/${path}`));
/** @public the typefaces of the pages, of text and of code, whose licences deploy/build adds to an executable */
export const TYPEFACES = ["@fontsource-variable/inter", "@fontsource/ibm-plex-mono"] as const;
const SCRIPTS = ["cyrillic", "greek", "latin", "latin-ext", "vietnamese"];
/** Modules of their own: browsers load audio worklets and the service worker by address. */
const WORKERS = [
  "playground/audio/microphone",
  "playground/audio/loudspeaker",
  "installed/service-worker",
].map((path) => resource(`src/web/${path}.ts`));
/** By the names that the manifest of the installed app has for them. */
const ICONS = ["icon-192.png", "icon-512.png"];

export type BundledFile = {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  /** Whether the name contains a hash of the content. */
  isImmutable: boolean;
};

/** By name; among them `PAGES`. */
type Files = Map<string, BundledFile>;

export type BuildPages = () => Promise<Files>;

export type Bundle = {
  files(): Promise<Files>;
  /** A hash of the bundle. Null until it is built, which the first call begins. */
  hash(): string | null;
};

/** The one bundle of this process, for a server below the path `base`. A failed build is tried again by the next request. */
export function openBundle(base: string, build: BuildPages = isPacked ? readPacked : bundleWeb): Bundle {
  let built: Promise<Files> | null = null;
  let hash: string | null = null;
  const files = () => {
    built ??= build().then((all) => placedAt(base, all));
    built.then(
      (all) => {
        hash = hashOf(all);
      },
      () => {
        built = null;
      },
    );
    return built;
  };
  return {
    files,
    hash() {
      if (hash === null) files().catch(() => {}); // the next page reports it
      return hash;
    },
  };
}

/** The page names all other files by their hashes, directly or through each other. */
const hashOf = (files: Files): string =>
  /name="loquat-build" content="(\w+)"/.exec(new TextDecoder().decode(files.get(DASHBOARD)!.plain))![1]!;

/** A packed file without its contents, which are beside this list as they are sent: compressed. */
type PackedEntry = Pick<BundledFile, "type" | "isImmutable"> & { name: string };

async function readPacked(): Promise<Files> {
  const entries: PackedEntry[] = JSON.parse(readFileSync(resource("packed/web.json"), "utf8"));
  return new Map(
    entries.map(({ name, ...entry }) => {
      const gzip = new Uint8Array(readFileSync(resource(`packed/web/${name}.gz`)));
      return [name, { ...entry, plain: Bun.gunzipSync(gzip), gzip }];
    }),
  );
}

/** From the sources. @internal */
export async function bundleWeb(): Promise<Files> {
  const { outputs } = await Bun.build({
    entrypoints: [...PAGE_FILES, ...WORKERS],
    minify: true,
    splitting: true,
    external: ["*.woff2"], // beside the bundle: inside the style sheet, every page would fetch all of them
    publicPath: "./",
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    env: "disable",
  });
  const files = await Promise.all(
    outputs.map(async (output) => {
      const type = output.type.replace(/;charset=utf-8$/, "; charset=utf-8");
      const name = output.path.replace(/^\.\//, "");
      const isImmutable = output.hash !== null && name.includes(output.hash);
      return [name, await bundled(output, { type, isImmutable })] as const;
    }),
  );
  return withBuild(new Map([...files, ...(await readFonts()), ...(await readIcons())]));
}

async function bundled(file: Blob, about: Pick<BundledFile, "type" | "isImmutable">): Promise<BundledFile> {
  const plain = new Uint8Array(await file.arrayBuffer());
  return { ...about, plain, gzip: Bun.gzipSync(plain) };
}

const readIcons = () =>
  Promise.all(
    ICONS.map(async (name) => {
      const file = Bun.file(resource(`src/web/installed/${name}`));
      return [name, await bundled(file, { type: file.type, isImmutable: false })] as const;
    }),
  );

/** By the names that the style sheet has for them, in which their version is. */
async function readFonts(): Promise<(readonly [string, BundledFile])[]> {
  const [text, code] = await Promise.all(TYPEFACES.map(typefaceOf));
  const font = async (name: string, file: Blob) =>
    [name, await bundled(file, { type: "font/woff2", isImmutable: true })] as const;
  return Promise.all([
    ...SCRIPTS.map((script) =>
      font(`inter-${text!.version}-${script}.woff2`, text!.file(`inter-${script}-wght-normal`)),
    ),
    font(`ibm-plex-mono-${code!.version}-latin.woff2`, code!.file("ibm-plex-mono-latin-400-normal")),
  ]);
}

async function typefaceOf(name: string) {
  const at = (path: string) => Bun.file(fileURLToPath(import.meta.resolve(`${name}/${path}`)));
  const { version } = await at("package.json").json();
  return { version: version as string, file: (font: string) => at(`files/${font}.woff2`) };
}

/** Names the build in the dashboard, whose open pages ask for it. */
const withBuild = (bundle: Files): Files =>
  withPage(bundle, DASHBOARD, (html) => withMeta(html, "build", Bun.hash(html).toString(36)));

/** The files name each other by their own place, and the pages by that of the server. */
const placedAt = (base: string, bundle: Files): Files =>
  PAGES.reduce(
    (files, name) =>
      withPage(files, name, (html) =>
        withMeta(html.replaceAll('"./', `"${Bun.escapeHTML(base)}/assets/`), "base", base),
      ),
    new Map(bundle),
  );

function withPage(bundle: Files, name: string, edit: (html: string) => string): Files {
  const page = bundle.get(name)!;
  const plain = new TextEncoder().encode(edit(new TextDecoder().decode(page.plain)));
  return bundle.set(name, { ...page, plain, gzip: Bun.gzipSync(plain) });
}

const withMeta = (html: string, name: string, content: string): string =>
  html.replace("</head>", `<meta name="loquat-${name}" content="${Bun.escapeHTML(content)}"></head>`);
