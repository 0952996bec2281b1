/** The search over the documentation: sections of the guides and operations of the API, by all words of a query. */
import type { ApiPart } from "./api-parts.ts";
import { sectionsOf } from "./docs-markdown.ts";
import type { Guide } from "./guides.ts";

/** What can be found. `path`: below `/docs/`. `place`: where it is: the guide, or the tag. */
type Entry = { path: string; title: string; place: string; text: string };

export type Hit = { path: string; title: string; place: string; excerpt: string };

export const QUERY_MAX = 200;
const HITS_MAX = 20;
const EXCERPT = 180;

export function openDocsSearch(guides: readonly Guide[], parts: readonly ApiPart[]) {
  const entries = [...guides.flatMap(ofGuide), ...parts.flatMap(ofPart)].map((entry) => ({
    entry,
    title: entry.title.toLowerCase(),
    place: entry.place.toLowerCase(),
    text: entry.text.toLowerCase(),
  }));
  return (query: string): Hit[] => {
    const words = [...new Set(query.slice(0, QUERY_MAX).toLowerCase().split(/\s+/).filter(Boolean))];
    if (words.length === 0) return [];
    const found = entries.flatMap(({ entry, ...lower }) => {
      const points = words.map((word) => pointsOf(word, lower));
      return points.includes(0) ? [] : [{ entry, lower, total: points.reduce((sum, each) => sum + each, 0) }];
    });
    return found
      .toSorted((one, other) => other.total - one.total)
      .slice(0, HITS_MAX)
      .map(({ entry: { text, ...entry }, lower }) => ({
        ...entry,
        excerpt: excerptOf(text, lower.text, words),
      }));
  };
}

type Lower = { title: string; place: string; text: string };

/** A word of the title counts most; 0: the word is nowhere. */
function pointsOf(word: string, { title, place, text }: Lower): number {
  if (title.startsWith(word)) return 12;
  if (title.includes(word)) return 8;
  if (place.includes(word)) return 4;
  return text.includes(word) ? 1 : 0;
}

/** Around the first word that the text has. */
function excerptOf(text: string, lower: string, words: readonly string[]): string {
  const at = words.map((word) => lower.indexOf(word)).find((index) => index >= 0) ?? 0;
  const from = at < EXCERPT / 2 ? 0 : lower.lastIndexOf(" ", at - EXCERPT / 3) + 1;
  const cut = text.slice(from, from + EXCERPT);
  return `${from > 0 ? "… " : ""}${cut}${from + EXCERPT < text.length ? " …" : ""}`;
}

const ofGuide = ({ name, title: place, markdown }: Guide): Entry[] =>
  sectionsOf(markdown).map(({ id, level, title, text }) => ({
    ...{ title, text, place: level === 1 ? "Guide" : place },
    path: level === 1 ? name : `${name}#${id}`,
  }));

const ofPart = ({ tag, operations }: ApiPart): Entry[] =>
  operations.map(({ id, method, path, summary, description, fields }) => ({
    path: `api/${id}`,
    title: summary,
    place: `API, ${tag}`,
    text: `${method} ${path} ${description} ${fields.join(" ")} ${id}`,
  }));
