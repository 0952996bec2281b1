/** What the documentation of one server consists of, under its address: guides, APIs, and the search over both. */
import type { AnyElysia } from "elysia";
import { type DocumentName, openApiDocument } from "../openapi/document.ts";
import { type ApiPart, type OpenApi, partsOf, ROOTS } from "./api-parts.ts";
import { apiMenu, guideMenu } from "./docs-menu.ts";
import { openDocsSearch, QUERY_MAX } from "./docs-search.ts";
import type { DocsPage } from "./docs-shell.ts";
import { foundPage, guidePage, type Place, startPage } from "./guide-pages.ts";
import { readGuides } from "./guides.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { operationPage } from "./operation-page.ts";
import { referencePage } from "./reference-page.ts";

type MakePage = () => DocsPage;

export function openDocsLibrary(app: AnyElysia, place: Place) {
  const { origin, base } = place;
  const guides = readGuides({ origin, linkTo: (name) => `${base}/docs/${name}` });
  const titles = new Map(guides.map(({ name, title }) => [name, title]));
  const apis = new Map<DocumentName, { document: OpenApi; parts: ApiPart[] }>();
  const api = (name: DocumentName) => {
    const known = apis.get(name);
    if (known) return known;
    const document = openApiDocument(app, name, origin) as OpenApi;
    const fresh = { document, parts: partsOf(document) };
    apis.set(name, fresh);
    return fresh;
  };
  const menuAt = (path: string) => guideMenu(base, titles, `${base}/docs${path}`);
  /** With absolute links, for readers elsewhere. */
  const plainGuides = () => readGuides({ origin, linkTo: (each) => `${origin}/docs/${each}.md` });
  let search: ReturnType<typeof openDocsSearch> | null = null;
  const find = (query: string) => {
    search ??= openDocsSearch(guides, api("public").parts);
    return search(query);
  };
  return {
    document: (name: DocumentName): object => api(name).document,
    /** The page of a guide, or the first page; null: there is none. */
    guideAt(name: string): MakePage | null {
      if (name === "")
        return () => ({
          title: "Documentation",
          menu: menuAt(""),
          content: startPage(guides, place),
          aside: "",
        });
      const guide = guides.find((each) => each.name === name);
      return guide
        ? () => ({ title: `${guide.title} · Loquat`, menu: menuAt(`/${name}`), ...guidePage(guide) })
        : null;
    },
    /** The Markdown of a guide; null: there is none. */
    guideText: (name: string): string | null =>
      plainGuides().find((each) => each.name === name)?.markdown ?? null,
    /** `id`: of an operation; null: all of them. */
    reference: (name: DocumentName, id: string | null): MakePage | null =>
      referenceOf({ name, id, place, ...api(name) }),
    search: find,
    found(query: string): MakePage {
      const asked = query.slice(0, QUERY_MAX).trim();
      const content = () => foundPage(asked, find(asked), base);
      return () => ({
        title: "Search · Loquat",
        menu: menuAt("/search"),
        content: content(),
        aside: "",
        query: asked,
      });
    },
    summary: () => llmsText(api("public").document, origin, titles),
    everything: () =>
      llmsFullText(
        plainGuides().map(({ markdown }) => markdown),
        origin,
      ),
  };
}

type Referred = { name: DocumentName; id: string | null; place: Place; document: OpenApi; parts: ApiPart[] };

function referenceOf({ name, id, place, document, parts }: Referred): MakePage | null {
  const guides = `${place.base}/docs`;
  const root = `${guides}/${ROOTS[name]}`;
  const menuAt = (current: string) => apiMenu({ guides, root, parts, current });
  if (id === null)
    return () => ({
      title: document.info.title,
      menu: menuAt(root),
      content: referencePage(document, parts, root),
      aside: "",
    });
  const operation = parts.flatMap(({ operations }) => operations).find((each) => each.id === id);
  if (!operation) return null;
  return () => ({
    title: `${operation.summary} · Loquat`,
    menu: menuAt(`${root}/${id}`),
    ...operationPage({ operation, origin: place.origin, schemas: document.components.schemas }),
  });
}
