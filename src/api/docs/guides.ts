/**
 * The guides as this server gives them: with its address in the examples, and without links to pages that it does not have.
 * They are read when they are first asked for.
 */
import { posix } from "node:path";
import { guideSources } from "./guide-sources.ts";

export type Guide = { name: string; title: string; markdown: string };

/** `origin`: under which clients reach this server. `linkTo`: the address of a guide. */
export type Serving = { origin: string; linkTo: (guide: string) => string };

/** Addresses that stand in the guides for the server's own. */
const PLACEHOLDER =
  /\b(http|ws)s?:\/\/(?:127\.0\.0\.1:8080|localhost:8080|ADDRESS:8080|speech\.example(?:\.com)?)(?![\w.:-])/g;
/** What generators look for. */
const MARK = /^<!-- [^\n]{1,80} -->\n/gm;
const IMAGE = /^!\[[^\]\n]{0,200}\]\([^)\n]{1,200}\)\n/gm;
const LINK = /\[([^\][\n]{1,200})\]\(([^()\s]{1,200})\)/g;
/** The file is on the server, not with the caller. */
const FIRST_KEY = "LOQUAT_KEY=$(cat data/first-key)";

/** The name of a file in place of the title of its page. */
const FILE_NAME = /^[\w/.-]{1,100}\.md$/;

/** All of them, in the order of the menu. */
export function readGuides(serving: Serving): Guide[] {
  const sources = Object.entries(guideSources());
  const titles = new Map(sources.map(([name, source]) => [name, titleOf(source)]));
  return sources.map(([name, source]) => ({
    ...{ name, title: titles.get(name) ?? name },
    markdown: servedText(source, serving.origin).replaceAll(LINK, (link, text: string, target: string) => {
      if (/^(?:https?:|#)/.test(target)) return link;
      const { guide, fragment } = guideAt(target, name);
      const title = titles.get(guide);
      if (title === undefined) return text; // the server does not give it
      return `[${FILE_NAME.test(text) ? title : text}](${serving.linkTo(guide)}${fragment})`;
    }),
  }));
}

const titleOf = (source: string): string => /^# ([^\n]+)/.exec(source)?.[1] ?? "";

const servedText = (source: string, origin: string): string =>
  source
    .replaceAll(MARK, "")
    .replaceAll(IMAGE, "")
    .replaceAll(PLACEHOLDER, (_, scheme: string) => origin.replace(/^http/, scheme))
    .replaceAll(FIRST_KEY, "LOQUAT_KEY=sk_live_…   # a key of yours");

/** What a link of the guide `name` is about; `fragment` with its sign. */
function guideAt(target: string, name: string): { guide: string; fragment: string } {
  const [path = "", fragment] = target.split("#");
  const guide = posix.join(posix.dirname(name), path).replace(/\.md$/, "");
  return { guide, fragment: fragment === undefined ? "" : `#${fragment}` };
}
