/** The menu of the documentation: the guides in their groups, and the operations of an API by their tags. */

import type { ApiPart } from "./api-parts.ts";
import { GUIDE_GROUPS } from "./guide-list.ts";

/** A link of the menu; the page that is shown is marked. */
const link = (href: string, text: string, current: string): string =>
  `<li><a href="${Bun.escapeHTML(href)}"${href === current ? ' aria-current="page"' : ""}>${Bun.escapeHTML(text)}</a></li>`;

/** `titles`: of the guides, by name. `current`: the address of the page. */
export function guideMenu(base: string, titles: ReadonlyMap<string, string>, current: string): string {
  const groups = GUIDE_GROUPS.map(({ name, guides }) => {
    const links = guides.map((guide) => link(`${base}/docs/${guide}`, titles.get(guide) ?? guide, current));
    return `<section><h2>${name}</h2><ul>${links.join("")}</ul></section>`;
  });
  const reference = link(`${base}/docs/api`, "API reference", current);
  return `${groups.join("")}<section><h2>Reference</h2><ul>${reference}</ul></section>`;
}

type ApiMenu = { guides: string; root: string; parts: readonly ApiPart[]; current: string };

/** Only the tag of the page that is shown is open. `guides`, `root`: the first pages of both. */
export function apiMenu({ guides, root, parts, current }: ApiMenu): string {
  const groups = parts.map(({ tag, operations }) => {
    const links = operations.map(({ id, summary }) => link(`${root}/${id}`, summary, current));
    const isOpen = operations.some(({ id }) => `${root}/${id}` === current);
    return `<details${isOpen ? " open" : ""}><summary>${Bun.escapeHTML(tag)}</summary><ul>${links.join("")}</ul></details>`;
  });
  const first = link(guides, "Guides", current) + link(root, "All operations", current);
  return `<ul>${first}</ul>${groups.join("")}`;
}
