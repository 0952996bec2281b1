/** GET /docs: the generated OpenAPI document as a page that loads no resources from other hosts. */
import { readFile } from "node:fs/promises";
import { openapi } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { Refusal } from "../../errors.ts";
import { pageHeaders } from "./headers.ts";

const ASSETS = new Map([
  ["swagger-ui.css", "text/css; charset=utf-8"],
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
]);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loquat API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>`;

const SCRIPT = `SwaggerUIBundle({ url: "/docs/json", dom_id: "#page", deepLinking: true, persistAuthorization: true, validatorUrl: null });`;

export function docsRoutes(version: string) {
  return new Elysia()
    .use(
      openapi({
        path: "/docs/generated",
        specPath: "/docs/json",
        provider: null,
        exclude: { paths: [/^\/docs/] },
        documentation: {
          info: {
            title: "Loquat",
            version,
            description:
              "Text to speech and transcription. Errors share one envelope: {error: {type, code, message, param, request_id}}.",
          },
          components: {
            securitySchemes: {
              key: { type: "http", scheme: "bearer" },
              session: { type: "apiKey", in: "cookie", name: "svc_session" },
            },
          },
          security: [{ key: [] }],
        },
      }),
    )
    .get(
      "/docs",
      () => new Response(PAGE, { headers: { ...pageHeaders(), "content-type": "text/html; charset=utf-8" } }),
      hidden,
    )
    .get(
      "/docs/page.js",
      () => new Response(SCRIPT, { headers: { "content-type": "text/javascript; charset=utf-8" } }),
      hidden,
    )
    .get("/docs/:asset", ({ params }) => asset(params.asset), hidden);
}

const hidden = { detail: { hide: true } };

async function asset(name: string): Promise<Response> {
  const type = ASSETS.get(name);
  if (!type) throw new Refusal("not_found", `There is nothing at /docs/${name.slice(0, 200)}.`);
  const path = new URL(import.meta.resolve(`swagger-ui-dist/${name}`));
  return new Response(await readFile(path), {
    headers: { "content-type": type, "cache-control": "max-age=86400" },
  });
}
