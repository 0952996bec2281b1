/** The OpenAPI documents, pages of them that load nothing from other hosts, and GET /llms.txt. */
import type { Elysia } from "elysia";
import { Refusal } from "../../errors.ts";
import { readAsset } from "../../resources.ts";
import type { PublicOrigin } from "../middleware/public-origin.ts";
import type { DocumentName } from "../openapi/document.ts";
import { pageHeaders } from "./headers.ts";

const ASSETS = new Map([
  ["swagger-ui.css", "text/css; charset=utf-8"],
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
]);

const TITLES = { public: "Loquat API", management: "Loquat management API" };

const htmlOf = (name: DocumentName, base: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLES[name]}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/docs/swagger-ui.css">
<link rel="stylesheet" href="${base}/docs/page.css">
</head>
<body>
<main id="page"></main>
<script src="${base}/docs/swagger-ui-bundle.js"></script>
<script src="${base}/docs/page.js"></script>
</body>
</html>`;

/** Dark where the browser is; Swagger UI does not follow it by itself. */
const SCRIPT = `
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: location.pathname.endsWith("/management") ? "management.json" : new URL("json", document.currentScript.src).href,
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});`;

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; }
.swagger-ui .info { margin: 24px 0; }
`;

/** `origin`: where clients reach this server; `base`: its path there. */
export const docsRoutes =
  ({ origin, base }: PublicOrigin) =>
  (app: Elysia) =>
    app
      .get("/docs", () => page("public", base), hidden)
      .get("/docs/management", () => page("management", base), hidden)
      .get("/docs/json", () => document(app, "public", origin()), hidden)
      .get("/docs/management.json", () => document(app, "management", origin()), hidden)
      .get("/docs/page.js", () => text("text/javascript", SCRIPT), hidden)
      .get("/docs/page.css", () => text("text/css", STYLE), hidden)
      .get("/llms.txt", () => llms(app, origin()), hidden)
      .get("/docs/:asset", ({ params }) => asset(params.asset), hidden);

const hidden = { detail: { hide: true } };

/** The generator is loaded when it is needed, which is seldom. */
async function document(app: Elysia, name: DocumentName, origin: string): Promise<object> {
  const { openApiDocument } = await import("../openapi/document.ts");
  return openApiDocument(app, name, origin);
}

async function llms(app: Elysia, origin: string): Promise<Response> {
  const { llmsText } = await import("./llms.ts");
  return text("text/plain", llmsText(app, origin));
}

const page = (name: DocumentName, base: string) =>
  new Response(htmlOf(name, base), {
    headers: { ...pageHeaders(), "content-type": "text/html; charset=utf-8" },
  });

const text = (type: string, content: string) =>
  new Response(content, { headers: { "content-type": `${type}; charset=utf-8` } });

function asset(name: string): Response {
  const type = ASSETS.get(name);
  if (!type) throw new Refusal("not_found", `There is nothing at /docs/${name.slice(0, 200)}.`);
  return new Response(readAsset(`swagger-ui-dist/${name}`), {
    headers: { "content-type": type, "cache-control": "max-age=86400" },
  });
}
