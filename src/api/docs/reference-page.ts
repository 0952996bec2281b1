/** The start of the reference of an API: its operations by tag; HTML. */
import type { ApiPart, OpenApi } from "./api-parts.ts";
import { textOf } from "./schema-fields.ts";

export function referencePage({ info, servers }: OpenApi, parts: readonly ApiPart[], root: string): string {
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
