/** The dashboard and the playground: one page for all their addresses, and the files it is made of. */
import { Elysia } from "elysia";
import { Refusal } from "../../errors.ts";
import { pageHeaders } from "./headers.ts";
import type { Bundle, BundledFile } from "./web-bundle.ts";

const PAGES = [
  "/",
  "/sign-in",
  "/sign-up",
  "/verify",
  "/forgot",
  "/reset",
  "/invitation",
  "/playground",
  "/account",
  "/setup",
  "/setup/*",
  "/orgs/*",
  "/operator/*",
];
const IMMUTABLE = "public, max-age=31536000, immutable";

export function webRoutes(bundle: Bundle) {
  const page = async (request: Request, headers: Record<string, string>) =>
    respond(request, (await bundle.files()).get("page.html")!, headers);
  const app = new Elysia().get(
    "/assets/:file",
    async ({ request, params }) => {
      const file = (await bundle.files()).get(params.file);
      if (!file || params.file === "page.html")
        throw new Refusal("not_found", `There is nothing at /assets/${params.file.slice(0, 200)}.`);
      return respond(request, file, {
        "cache-control": file.isImmutable ? IMMUTABLE : "no-cache",
        "x-content-type-options": "nosniff",
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
