/** GET /playground: a page to try everything with, as it lies in its folder. It loads nothing from any other host. */
import { readFile } from "node:fs/promises";
import { Elysia } from "elysia";
import { Fault } from "../../errors.ts";
import { pageHeaders } from "./headers.ts";

const FOLDER = new URL("../../playground/", import.meta.url);

const SCRIPTS = ["main", "api", "speak", "file", "live", "microphone", "session", "snippets"];

const FILES = new Map([
  ["page.html", "text/html; charset=utf-8"],
  ["style.css", "text/css; charset=utf-8"],
  ...SCRIPTS.map((name) => [`${name}.js`, "text/javascript; charset=utf-8"] as const),
]);

export function playgroundRoutes() {
  return new Elysia()
    .get("/playground", ({ request }) => serve("page.html", request), hidden)
    .get("/playground/:file", ({ request, params }) => serve(params.file, request), hidden);
}

const hidden = { detail: { hide: true } };

async function serve(name: string, request: Request): Promise<Response> {
  const type = FILES.get(name);
  if (!type) throw new Fault("not_found", `There is nothing at /playground/${name.slice(0, 200)}.`);
  return new Response(await readFile(new URL(name, FOLDER)), {
    headers: { ...pageHeaders(request), "content-type": type },
  });
}
