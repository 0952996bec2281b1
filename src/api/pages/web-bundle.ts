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
export type Bundle = Map<string, BundledFile>;

/** Returns the one bundle of this process. A failed build is tried again by the next request. */
export function openBundle(): () => Promise<Bundle> {
  let bundle: Promise<Bundle> | null = null;
  return () => {
    bundle ??= build();
    bundle.catch(() => {
      bundle = null;
    });
    return bundle;
  };
}

async function build(): Promise<Bundle> {
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
  return withStyleSheets(new Map(files));
}

/** Links the style sheets of lazily loaded pages too: the bundler links only those of the first. */
function withStyleSheets(bundle: Bundle): Bundle {
  const page = bundle.get("page.html")!;
  const html = new TextDecoder().decode(page.plain);
  const links = [...bundle.keys()]
    .filter((name) => name.endsWith(".css") && !html.includes(name))
    .map((name) => `<link rel="stylesheet" href="/assets/${name}">`);
  const plain = new TextEncoder().encode(html.replace("</head>", `${links.join("")}</head>`));
  return bundle.set("page.html", { ...page, plain, gzip: Bun.gzipSync(plain) });
}
