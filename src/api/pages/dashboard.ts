/**
 * The dashboard: one page for all its addresses, and the files it is made of, bundled by Bun when they are first asked
 * for and kept in memory. Files carry their hash in their name, so a browser fetches each once.
 */
import { fileURLToPath } from "node:url";
import { Elysia } from "elysia";
import { Fault } from "../../errors.ts";
import { pageHeaders } from "./headers.ts";

const PAGE = fileURLToPath(new URL("../../web/page.html", import.meta.url));
const ADDRESSES = [
  "/",
  "/sign-in",
  "/sign-up",
  "/verify",
  "/forgot",
  "/reset",
  "/invitation",
  "/account",
  "/orgs/*",
  "/operator/*",
];
const FOR_EVER = "public, max-age=31536000, immutable";

type File = { type: string; plain: Uint8Array<ArrayBuffer>; gzip: Uint8Array<ArrayBuffer> };

export function dashboardRoutes() {
  let bundled: Promise<Map<string, File>> | null = null;
  const files = () => {
    bundled ??= bundle();
    bundled.catch(() => {
      bundled = null; // the next visitor tries again
    });
    return bundled;
  };
  const page = async ({ request }: { request: Request }) =>
    respond(request, (await files()).get("page.html")!, pageHeaders());
  const app = new Elysia().get(
    "/assets/:file",
    async ({ request, params }) => {
      const file = (await files()).get(params.file);
      if (!file || params.file === "page.html")
        throw new Fault("not_found", `There is nothing at /assets/${params.file.slice(0, 200)}.`);
      return respond(request, file, { "cache-control": FOR_EVER, "x-content-type-options": "nosniff" });
    },
    hidden,
  );
  for (const address of ADDRESSES) app.get(address, page, hidden);
  return app;
}

const hidden = { detail: { hide: true } };

function respond(request: Request, { type, plain, gzip }: File, headers: Record<string, string>): Response {
  const zipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(zipped ? gzip : plain, {
    headers: {
      ...headers,
      "content-type": type,
      vary: "accept-encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    },
  });
}

async function bundle(): Promise<Map<string, File>> {
  const { outputs } = await Bun.build({
    entrypoints: [PAGE],
    minify: true,
    splitting: true,
    publicPath: "/assets/",
    naming: { chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    env: "disable",
  });
  const files = await Promise.all(
    outputs.map(async (output) => {
      const plain = new Uint8Array(await output.arrayBuffer());
      const type = output.type.replace(/;charset=utf-8$/, "; charset=utf-8");
      return [output.path.replace(/^\.\//, ""), { type, plain, gzip: Bun.gzipSync(plain) }] as const;
    }),
  );
  return withStyles(new Map(files));
}

/** The bundler links the first page's styles only; those of pages that come later are linked here. */
function withStyles(files: Map<string, File>): Map<string, File> {
  const page = files.get("page.html")!;
  const html = new TextDecoder().decode(page.plain);
  const links = [...files.keys()]
    .filter((name) => name.endsWith(".css") && !html.includes(name))
    .map((name) => `<link rel="stylesheet" href="/assets/${name}">`);
  const plain = new TextEncoder().encode(html.replace("</head>", `${links.join("")}</head>`));
  return files.set("page.html", { ...page, plain, gzip: Bun.gzipSync(plain) });
}
