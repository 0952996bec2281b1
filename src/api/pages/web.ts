/** The dashboard and the playground: one page for all their addresses, and the files it is made of. */
import { Elysia } from "elysia";
import { Refusal } from "../../errors.ts";
import { pageHeaders } from "./headers.ts";
import { type Bundle, type BundledFile, DASHBOARD } from "./web-bundle.ts";

const PAGES = [
  "/",
  "/sign-in",
  "/sign-up",
  "/verify",
  "/forgot",
  "/reset",
  "/mail-of-alerts",
  "/invitation",
  "/playground",
  "/account",
  "/setup",
  "/setup/*",
  "/orgs/*",
  "/operator/*",
];
const SERVICE_WORKER = "service-worker.js"; // its scope is all pages, not only its folder
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Files of this and of earlier versions, by name. */
export type KeptFiles = {
  /** Once for all calls. Never rejects. */
  save(files: { name: string; type: string; gzip: Uint8Array }[]): Promise<void>;
  find(name: string): Promise<{ type: string; gzip: Uint8Array<ArrayBuffer> } | null>;
};

const HASHED = /^[\w.-]{1,150}-[0-9a-z]{8}\.[0-9a-z]{1,10}$/;

/** A page of the bundle, once other nodes can send the files that it names. */
export async function keptPage(bundle: Bundle, kept: KeptFiles, name: string): Promise<BundledFile> {
  const files = await bundle.files();
  const hashed = [...files].filter(([, { isImmutable }]) => isImmutable);
  await kept.save(hashed.map(([each, { type, gzip }]) => ({ name: each, type, gzip })));
  return files.get(name)!;
}

/** `opened` is called when a browser opens a page: signing in may follow. */
export function webRoutes(bundle: Bundle, kept: KeptFiles, opened: () => void) {
  const page = async (request: Request, headers: Record<string, string>) => {
    const file = await keptPage(bundle, kept, DASHBOARD);
    setTimeout(opened); // after the response
    return respond(request, file, headers);
  };
  /** Of another version, whose page is still open. */
  const earlier = async (name: string): Promise<BundledFile | null> => {
    const file = HASHED.test(name) ? await kept.find(name) : null;
    return file && { ...file, plain: Bun.gunzipSync(file.gzip), isImmutable: true };
  };
  const app = new Elysia().get(
    "/assets/:file",
    async ({ request, params }) => {
      const file = (await bundle.files()).get(params.file) ?? (await earlier(params.file));
      if (!file || params.file.endsWith(".html"))
        throw new Refusal("not_found", `There is nothing at /assets/${params.file.slice(0, 200)}.`);
      return respond(request, file, {
        "cache-control": file.isImmutable ? IMMUTABLE : "no-cache",
        "x-content-type-options": "nosniff",
        ...(params.file === SERVICE_WORKER ? { "service-worker-allowed": "/" } : {}),
      });
    },
    hidden,
  );
  for (const address of PAGES) app.get(address, ({ request }) => page(request, pageHeaders(request)), hidden);
  return app;
}

const hidden = { detail: { hide: true } };

function respond(
  request: Request,
  { type, plain, gzip }: BundledFile,
  headers: Record<string, string>,
): Response {
  const acceptsGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(acceptsGzip ? gzip : plain, {
    headers: {
      ...headers,
      "content-type": type,
      vary: "accept-encoding",
      ...(acceptsGzip ? { "content-encoding": "gzip" } : {}),
    },
  });
}
