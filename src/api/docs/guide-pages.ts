/** The pages that are made of the guides: the start of the documentation, a guide, and what a search found; HTML. */

import { htmlOf, sectionsOf } from "./docs-markdown.ts";
import type { Hit } from "./docs-search.ts";
import { GUIDE_GROUPS } from "./guide-list.ts";
import type { Guide } from "./guides.ts";

/** `base`: the path below which the server lies; `origin`: under which clients reach it. */
export type Place = { base: string; origin: string };

export function startPage(guides: readonly Guide[], { base, origin }: Place): string {
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

export const guidePage = ({ markdown }: Guide): { content: string; aside: string } => ({
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

export function foundPage(query: string, hits: readonly Hit[], base: string): string {
  const found = hits.map(
    ({ path, title, place, excerpt }) =>
      `<li><a href="${base}/docs/${Bun.escapeHTML(path)}"><strong>${Bun.escapeHTML(title)}</strong> <small>${Bun.escapeHTML(place)}</small> <span>${Bun.escapeHTML(excerpt)}</span></a></li>`,
  );
  const said = query === "" ? "Enter what you look for." : `Nothing found for “${Bun.escapeHTML(query)}”.`;
  return `<h1>Search</h1>${hits.length > 0 ? `<ul class="cards found">${found.join("")}</ul>` : `<p>${said}</p>`}`;
}
