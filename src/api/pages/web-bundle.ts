/**
 * The bundle of the dashboard and the playground, built on first use and kept in memory. Chunks carry a hash in their
 * names, so that browsers fetch each only once; the page and the audio worklet keep theirs.
 */
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../web/page.html", import.meta.url));
/** A module of its own: browsers load audio worklets by address. */
const MICROPHONE = fileURLToPath(new URL("../../web/playground/audio/microphone.ts", import.meta.url));

export type BundledFile = {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  /** Whether the name contains a hash of the content. */
  isImmutable: boolean;
};

/** By name; the page itself is `page.html`. */
type Files = Map<string, BundledFile>;

export type Bundle = {
  files(): Promise<Files>;
  /** A hash of the bundle. Null until it is built, which the first call begins. */
  hash(): string | null;
};

/** The one bundle of this process. A failed build is tried again by the next request. */
export function openBundle(): Bundle {
  let built: Promise<Files> | null = null;
  let hash: string | null = null;
  const files = () => {
    built ??= build();
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
  /name="loquat-build" content="(\w+)"/.exec(new TextDecoder().decode(files.get("page.html")!.plain))![1]!;

async function build(): Promise<Files> {
  const { outputs } = await Bun.build({
    entrypoints: [PAGE, MICROPHONE],
    minify: true,
    splitting: true,
    publicPath: "/assets/",
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    env: "disable",
  });
  const files = await Promise.all(
    outputs.map(async (output) => {
      const plain = new Uint8Array(await output.arrayBuffer());
      const type = output.type.replace(/;charset=utf-8$/, "; charset=utf-8");
      const name = output.path.replace(/^\.\//, "");
      const isImmutable = output.hash !== null && name.includes(output.hash);
      return [name, { type, plain, gzip: Bun.gzipSync(plain), isImmutable }] as const;
    }),
  );
  return withLinks(new Map(files));
}

/** Links the style sheets of lazily loaded pages too, which the bundler does not, and names the build. */
function withLinks(bundle: Files): Files {
  const page = bundle.get("page.html")!;
  const html = new TextDecoder().decode(page.plain);
  const links = [...bundle.keys()]
    .filter((name) => name.endsWith(".css") && !html.includes(name))
    .map((name) => `<link rel="stylesheet" href="/assets/${name}">`);
  const build = `<meta name="loquat-build" content="${Bun.hash(html).toString(36)}">`;
  const plain = new TextEncoder().encode(html.replace("</head>", `${links.join("")}${build}</head>`));
  return bundle.set("page.html", { ...page, plain, gzip: Bun.gzipSync(plain) });
}
