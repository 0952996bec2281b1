/** Markdown as HTML for the pages of the documentation, and its sections for the search. HTML in it is text. */

const OPTIONS = { noHtmlBlocks: true, noHtmlSpans: true, headings: { ids: true } } as const;

/** Such as <https://example.com>, which would be taken for HTML. */
const ADDRESS = /<(https?:\/\/[^<>\s]{1,200})>/g;

/** A part below a heading; the first is below the title. `id`: of the heading. */
export type Section = { id: string; level: number; title: string; text: string };

export function htmlOf(markdown: string): string {
  return new HTMLRewriter()
    .on("table", {
      element(table) {
        table.before('<div class="wide" tabindex="0" role="group" aria-label="Table">', { html: true });
        table.after("</div>", { html: true });
      },
    })
    .on("th, td", { element: (cell) => void alignByClass(cell) })
    .on("pre", { element: (block) => void block.setAttribute("tabindex", "0") })
    .on("a", {
      element(link) {
        if (!/^(?:https?:|#|\/)/.test(link.getAttribute("href") ?? "")) link.removeAndKeepContent();
      },
    })
    .on("h2[id], h3[id]", {
      element(heading) {
        const id = Bun.escapeHTML(heading.getAttribute("id") ?? "");
        heading.append(` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`, {
          html: true,
        });
      },
    })
    .transform(Bun.markdown.html(markdown.replaceAll(ADDRESS, "[$1]($1)"), OPTIONS));
}

type Attributes = Pick<HTMLRewriterTypes.Element, "getAttribute" | "removeAttribute" | "setAttribute">;

function alignByClass(cell: Attributes): void {
  if (cell.getAttribute("align") === "right") cell.setAttribute("class", "numeric");
  cell.removeAttribute("align");
}

const MARK = "\u0001";

/** In order; the text has no markup. */
export function sectionsOf(markdown: string): Section[] {
  const spaced = (children: string) => `${children} `;
  const text = Bun.markdown.render(
    markdown,
    {
      heading: (title, { level, id }) => `${MARK}${level}${MARK}${id ?? ""}${MARK}${title.trim()}${MARK}`,
      ...{ paragraph: spaced, code: spaced, listItem: spaced, td: spaced, th: spaced, blockquote: spaced },
    },
    OPTIONS,
  );
  const [, ...parts] = text.split(MARK);
  return Array.from({ length: Math.floor(parts.length / 4) }, (_, index) => {
    const [level, id = "", title = "", body = ""] = parts.slice(index * 4, index * 4 + 4);
    return { level: Number(level), id, title, text: body.replaceAll(/\s+/g, " ").trim() };
  });
}
