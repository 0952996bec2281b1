/**
 * The guides as this server gives them: with its address in the examples, and without links to pages that it does not have.
 * They are read when they are first asked for.
 */
import { posix } from "node:path";
import { GUIDES } from "./guide-list.ts";
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

/** All of them, in the order of the menu. */
export const readGuides = (serving: Serving): Guide[] =>
  Object.entries(guideSources()).map(([name, source]) => servedGuide(name, source, serving));

function servedGuide(name: string, source: string, { origin, linkTo }: Serving): Guide {
  const markdown = source
    .replaceAll(MARK, "")
    .replaceAll(IMAGE, "")
    .replaceAll(PLACEHOLDER, (_, scheme: string) => origin.replace(/^http/, scheme))
    .replaceAll(FIRST_KEY, "LOQUAT_KEY=sk_live_…   # a key of yours")
    .replaceAll(LINK, (link, text: string, target: string) => {
      const address = addressOf(target, name, linkTo);
      return address === null ? text : link.replace(`(${target})`, `(${address})`);
    });
  return { name, title: /^# ([^\n]+)/.exec(markdown)?.[1] ?? name, markdown };
}

/** What a link of a guide leads to here; null: to a file that the server does not give. */
function addressOf(target: string, name: string, linkTo: Serving["linkTo"]): string | null {
  if (/^(?:https?:|#)/.test(target)) return target;
  const [path = "", fragment] = target.split("#");
  const guide = posix.join(posix.dirname(name), path).replace(/\.md$/, "");
  if (!GUIDES.includes(guide)) return null;
  return `${linkTo(guide)}${fragment === undefined ? "" : `#${fragment}`}`;
}
