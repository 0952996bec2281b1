/**
 * The documentation: guides, the reference of both APIs, a search over them, the OpenAPI documents, and texts for language
 * models. Nothing is made before it is asked for.
 */
import type { Elysia } from "elysia";
import { Refusal } from "../../errors.ts";
import type { PublicOrigin } from "../middleware/public-origin.ts";
import type { DocumentName } from "../openapi/document.ts";
import type { BundledFile } from "../pages/web-bundle.ts";
import { ROOTS } from "./api-parts.ts";
import { openDocsShell } from "./docs-shell.ts";

type DocsDeps = {
  address: PublicOrigin;
  /** The page of the bundle that every page is put into. */
  frame: () => Promise<BundledFile>;
};

export const docsRoutes =
  ({ address, frame }: DocsDeps) =>
  (app: Elysia) => {
    const { origin, base } = address;
    const shell = openDocsShell(base, frame);
    const library = openLibrary(app, address);
    const guide = async (request: Request, name: string) => {
      const { guideAt, guideText } = await library();
      const isText = name.endsWith(".md");
      const page = isText ? guideText(name.slice(0, -3)) : guideAt(name);
      if (page === null) throw nothingAt(name);
      return typeof page === "string"
        ? shell.text(request, `${origin()} ${name}`, () => page)
        : shell.page(request, `${origin()} ${name}`, page);
    };
    const operation = async (request: Request, name: DocumentName, id: string | null) => {
      const page = (await library()).reference(name, id);
      if (page === null) throw nothingAt(`${ROOTS[name]}/${id}`);
      return shell.page(request, `${origin()} ${name} ${id}`, page);
    };
    return app
      .get("/docs", ({ request }) => guide(request, ""), hidden)
      .get("/docs/json", async () => (await library()).document("public"), hidden)
      .get("/docs/management.json", async () => (await library()).document("management"), hidden)
      .get(
        "/docs/search",
        async ({ request, query }) => {
          const found = (await library()).found(textIn(query));
          return shell.page(request, null, found);
        },
        hidden,
      )
      .get(
        "/docs/search.json",
        async ({ query }) => ({ data: (await library()).search(textIn(query)) }),
        hidden,
      )
      .get("/docs/api", ({ request }) => operation(request, "public", null), hidden)
      .get(
        "/docs/api/:operation",
        ({ request, params }) => operation(request, "public", params.operation),
        hidden,
      )
      .get("/docs/management", ({ request }) => operation(request, "management", null), hidden)
      .get(
        "/docs/management/:operation",
        ({ request, params }) => operation(request, "management", params.operation),
        hidden,
      )
      .get("/docs/clients/:guide", ({ request, params }) => guide(request, `clients/${params.guide}`), hidden)
      .get("/docs/:guide", ({ request, params }) => guide(request, params.guide), hidden)
      .get(
        "/llms.txt",
        async ({ request }) => {
          const { summary } = await library();
          return shell.text(request, `${origin()} llms.txt`, summary);
        },
        hidden,
      )
      .get(
        "/llms-full.txt",
        async ({ request }) => {
          const { everything } = await library();
          return shell.text(request, `${origin()} llms-full.txt`, everything);
        },
        hidden,
      );
  };

const hidden = { detail: { hide: true } };

const nothingAt = (name: string) =>
  new Refusal("not_found", `There is nothing at /docs/${name.slice(0, 200)}.`);

const textIn = ({ q }: Record<string, unknown>): string => (typeof q === "string" ? q : "");

/** What the pages are made of is loaded when one is asked for, and made again where the server's address has changed. */
function openLibrary(app: Elysia, address: PublicOrigin) {
  let made: { origin: string; library: ReturnType<typeof makeLibrary> } | null = null;
  const makeLibrary = async (origin: string) => {
    const { openDocsLibrary } = await import("./docs-library.ts");
    return openDocsLibrary(app, { origin, base: address.base });
  };
  return () => {
    const origin = address.origin();
    if (made?.origin !== origin) made = { origin, library: makeLibrary(origin) };
    return made.library;
  };
}
