/** Lists the rules of English in docs/text.md, in their order, with their examples. */
import { ENGLISH_RULES } from "../../src/speech/text/english/english.ts";

const cell = (text: string) => text.replaceAll("|", "\\|");
const code = (text: string) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** The page with the table between its markers. */
export function withRules(page: string): string {
  const rows = ENGLISH_RULES.map(
    ({ name, what, example: [written, read] }) =>
      `| ${cell(name)} | ${cell(what)} | ${cell(code(written))} | ${cell(read)} |`,
  );
  const table = ["| Rule | What it does | Written | Read |", "| --- | --- | --- | --- |", ...rows].join("\n");
  return page.replace(
    /(<!-- rules -->\n)[\s\S]*?(<!-- \/rules -->)/,
    (_all, begin, end) => `${begin}\n${table}\n\n${end}`,
  );
}
