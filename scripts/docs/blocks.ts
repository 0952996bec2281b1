/** What pages take from the code: blocks between markers, and tables of Markdown. */

/** The page with the content between the markers of that name. */
export const withBlock = (page: string, name: string, content: string): string =>
  page.replace(
    new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`),
    () => `<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->`,
  );

/** As the formatter aligns tables. */
export function aligned([head, ...rows]: string[][]): string[] {
  const widths = head!.map((_, column) => Math.max(...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head!), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}
