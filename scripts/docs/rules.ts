/** Lists the rules of English in docs/text.md, in their order, with their examples. */

import { ENGLISH_RULES } from "../../src/speech/text/english/english.ts";
import { withBlock } from "./blocks.ts";

/** The page with the list between its markers. */
export function withRules(page: string): string {
  const items = ENGLISH_RULES.map(
    ({ name, what, example: [written, read] }) => `- **${name}**: ${what} \`${written}\`: "${read}"`,
  );
  return withBlock(page, "rules", items.join("\n"));
}
