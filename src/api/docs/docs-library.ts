/** What the documentation of one server consists of, under its address: guides, APIs, and the search over both. */

import type { AnyElysia } from "elysia";
import { type DocumentName, openApiDocument } from "../openapi/document.ts";
import { type ApiPart, type OpenApi, partsOf, ROOTS } from "./api-parts.ts";
import { htmlOf, sectionsOf } from "./docs-markdown.ts";
import { type Hit, openDocsSearch, QUERY_MAX } from "./docs-search.ts";
import type { DocsPage } from "./docs-shell.ts";
import { GUIDE_GROUPS } from "./guide-list.ts";
import { type Guide, readGuides } from "./guides.ts";
import { operationPage } from "./operation-page.ts";
import { textOf } from "./schema-fields.ts";

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

/** A link of the menu; the page that is shown is marked. */
const link = (href: string, text: string, current: string): string =>
  `<li><a href="${Bun.escapeHTML(href)}"${href === current ? ' aria-current="page"' : ""}>${Bun.escapeHTML(text)}</a></li>`;

/**
 * The menu of the documentation: the guides in their groups, and the operations of an API by their tags.
 *
 * `titles`: of the guides, by name. `current`: the address of the page.
 */
function guideMenu(base: string, titles: ReadonlyMap<string, string>, current: string): string {
  const groups = GUIDE_GROUPS.map(({ name, guides }) => {
    const links = guides.map((guide) => link(`${base}/docs/${guide}`, titles.get(guide) ?? guide, current));
    return `<section><h2>${name}</h2><ul>${links.join("")}</ul></section>`;
  });
  const reference = link(`${base}/docs/api`, "API reference", current);
  return `${groups.join("")}<section><h2>Reference</h2><ul>${reference}</ul></section>`;
}

type ApiMenu = { guides: string; root: string; parts: readonly ApiPart[]; current: string };

/** Only the tag of the page that is shown is open. `guides`, `root`: the first pages of both. */
function apiMenu({ guides, root, parts, current }: ApiMenu): string {
  const groups = parts.map(({ tag, operations }) => {
    const links = operations.map(({ id, summary }) => link(`${root}/${id}`, summary, current));
    const isOpen = operations.some(({ id }) => `${root}/${id}` === current);
    return `<details${isOpen ? " open" : ""}><summary>${Bun.escapeHTML(tag)}</summary><ul>${links.join("")}</ul></details>`;
  });
  const first = link(guides, "Guides", current) + link(root, "All operations", current);
  return `<ul>${first}</ul>${groups.join("")}`;
}

/**
 * The pages that are made of the guides: the start of the documentation, a guide, and what a search found; HTML.
 *
 * `base`: the path below which the server lies; `origin`: under which clients reach it.
 */
export type Place = { base: string; origin: string };

function startPage(guides: readonly Guide[], { base, origin }: Place): string {
  const address = Bun.escapeHTML(`${origin}/v1`);
  const known = new Map(guides.map((guide) => [guide.name, guide]));
  const groups = GUIDE_GROUPS.map(({ name, guides: names }) => {
    const cards = names.flatMap((each) => known.get(each) ?? []).map((guide) => card(guide, base));
    return `<section><h2>${name}</h2><ul class="cards">${cards.join("")}</ul></section>`;
  });
  return `<h1>Documentation</h1>
<p class="lead">Text to speech, transcription and live sessions, with the API of OpenAI. SDKs need this server's base URL and an API key.</p>
<dl class="facts"><dt>Base URL</dt><dd><code>${address}</code></dd>
<dt>API key</dt><dd><a href="${base}/">API keys</a> in the dashboard; sent as <code>Authorization: Bearer KEY</code></dd>
<dt>Reference</dt><dd><a href="${base}/docs/api">Every operation</a>, as <a href="${base}/docs/json">OpenAPI</a> too</dd>
<dt>For assistants</dt><dd><a href="${base}/llms.txt">llms.txt</a>, and all guides as text: <a href="${base}/llms-full.txt">llms-full.txt</a></dd></dl>
${groups.join("")}`;
}

function card({ name, title, markdown }: Guide, base: string): string {
  const [first] = sectionsOf(markdown);
  return `<li><a href="${base}/docs/${name}"><strong>${Bun.escapeHTML(title)}</strong> <span>${Bun.escapeHTML(firstSentence(first?.text ?? ""))}</span></a></li>`;
}

const SENTENCE_MAX = 140;

function firstSentence(text: string): string {
  const end = text.search(/[.:](?:\s|$)/);
  const sentence = end < 0 ? text : text.slice(0, end + 1).replace(/:$/, ".");
  if (sentence.length <= SENTENCE_MAX) return sentence;
  return `${sentence.slice(0, sentence.lastIndexOf(" ", SENTENCE_MAX))} …`;
}

const guidePage = ({ markdown }: Guide): { content: string; aside: string } => ({
  content: `<article class="guide">${htmlOf(markdown)}</article>`,
  aside: contentsOf(markdown),
});

/** What is on the page, where that is more than one section. */
function contentsOf(markdown: string): string {
  const sections = sectionsOf(markdown).filter(({ level }) => level === 2 || level === 3);
  if (sections.length < 2) return "";
  const links = sections.map(
    ({ id, level, title }) =>
      `<li class="level${level}"><a href="#${Bun.escapeHTML(id)}">${Bun.escapeHTML(title)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join("")}</ul></nav>`;
}

function foundPage(query: string, hits: readonly Hit[], base: string): string {
  const found = hits.map(
    ({ path, title, place, excerpt }) =>
      `<li><a href="${base}/docs/${Bun.escapeHTML(path)}"><strong>${Bun.escapeHTML(title)}</strong> <small>${Bun.escapeHTML(place)}</small> <span>${Bun.escapeHTML(excerpt)}</span></a></li>`,
  );
  const said = query === "" ? "Enter what you look for." : `Nothing found for “${Bun.escapeHTML(query)}”.`;
  return `<h1>Search</h1>${hits.length > 0 ? `<ul class="cards found">${found.join("")}</ul>` : `<p>${said}</p>`}`;
}

/** The start of the reference of an API: its operations by tag; HTML. */
function referencePage({ info, servers }: OpenApi, parts: readonly ApiPart[], root: string): string {
  const sections = parts.map(({ tag, description, operations }) => {
    const rows = operations.map(
      ({ id, method, path, summary }) =>
        `<li><a href="${root}/${id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${Bun.escapeHTML(path)}</code> <span>${Bun.escapeHTML(summary)}</span></a></li>`,
    );
    return `<section id="${Bun.escapeHTML(tag.toLowerCase())}"><h2>${Bun.escapeHTML(tag)}</h2>${textOf(description)}<ul class="operations">${rows.join("")}</ul></section>`;
  });
  return `<h1>${Bun.escapeHTML(info.title.replace(/( API)?$/, " API"))}</h1>
${textOf(info.description)}
<dl class="facts"><dt>Address</dt><dd><code>${Bun.escapeHTML(servers[0]?.url ?? "")}</code></dd>
<dt>Version</dt><dd>${Bun.escapeHTML(info.version)}</dd></dl>
${sections.join("")}`;
}

const INTRODUCTION = `# Loquat

> A self-hosted, OpenAI-compatible speech API: text to speech, transcription of files, live transcription.

OpenAI's SDKs work with another base URL and key. Requests carry \`Authorization: Bearer KEY\`. Models and voices are those
of this server: list them before naming one. Errors are \`{"error": {"type", "code", "message", "param", "request_id"}}\`;
429 and 503 carry \`retry-after\` in seconds.`;

/**
 * GET /llms.txt: what a language model needs to write a client of this server, in one page of text; /llms-full.txt: all guides.
 *
 * `origin`: under which clients reach this server. `guides`: their titles by name.
 */
function llmsText({ paths }: OpenApi, origin: string, guides: ReadonlyMap<string, string>): string {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    ),
  );
  return `${INTRODUCTION}

## Addresses

- Base URL: ${origin}/v1
- [OpenAPI document](${origin}/docs/json): every route, field, response and error

- [All guides](${origin}/llms-full.txt), as one text

## Guides

${[...guides].map(([name, title]) => `- [${title}](${origin}/docs/${name}.md)`).join("\n")}

## Routes

${routes.join("\n")}
- \`WS /v1/realtime?intent=transcription\`: live transcription, with the events of OpenAI's realtime API

## Example

\`\`\`sh
curl ${origin}/v1/audio/speech -H "Authorization: Bearer $LOQUAT_KEY" -H "Content-Type: application/json" \\
  -d '{"model":"svc-tts1","voice":"female-warm","input":"Good morning."}' -o hello.wav
curl ${origin}/v1/audio/transcriptions -H "Authorization: Bearer $LOQUAT_KEY" -F model=svc-stt1 -F file=@hello.wav
\`\`\`
`;
}

/** `guides`: as Markdown. */
const llmsFullText = (guides: readonly string[], origin: string): string =>
  `${INTRODUCTION}

The base URL is ${origin}/v1. ${origin}/docs/json is the OpenAPI document.

${guides.join("\n\n---\n\n")}`;
