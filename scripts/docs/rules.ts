/** Lists the rules of English in docs/text.md, in their order, with their examples. */
import { ENGLISH_RULES } from "../../src/speech/text/english/order.ts";

/** The page with the list between its markers. */
export function withRules(page: string): string {
  const items = ENGLISH_RULES.map(
    ({ name, what, example: [written, read] }) => `- **${name}**: ${what} \`${written}\`: "${read}"`,
  );
  return page.replace(
    /(<!-- rules -->\n)[\s\S]*?(<!-- \/rules -->)/,
    (_all, begin, end) => `${begin}\n${items.join("\n")}\n\n${end}`,
  );
}
