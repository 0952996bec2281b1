/** The variables of docs/configuration.md: a table a section, and those that files may hold. */

import { CLIENT } from "../../src/config/client-variables.ts";
import { type Row, SECRETS } from "../../src/config/config.ts";
import { SERVER } from "../../src/config/server-variables.ts";
import { SERVICE } from "../../src/config/service-variables.ts";
import { SIGN_IN } from "../../src/config/sign-in-variables.ts";
import { fallbackOf } from "../../src/config/variables.ts";
import { aligned, withBlock } from "./blocks.ts";

const HEAD = ["Variable", "Values", "Default", "Meaning"];

/** The page with both. */
export function withVariables(page: string): string {
  const sections = Object.entries({ ...SERVER, ...SERVICE, ...SIGN_IN, ...CLIENT }).map(([title, rows]) =>
    [`## ${title}`, "", ...aligned([HEAD, ...Object.entries<Row>(rows).map(cells)])].join("\n"),
  );
  const files = SECRETS.map((name) => `- \`${name}_FILE\``).join("\n");
  return withBlock(withBlock(page, "variables", sections.join("\n\n")), "secrets", files);
}

const cells = ([name, row]: [string, Row]) => [code(name), valuesOf(row), defaultOf(row), row.meaning];

const code = (text: string) => `\`${text}\``;

function valuesOf(row: Row): string {
  if ("range" in row) return row.range.map((end) => end.toLocaleString("en-US")).join(" to ");
  if ("choices" in row) return row.choices.map(code).join(", ");
  if ("schemes" in row) return row.schemes.map((scheme) => code(`${scheme}//…`)).join(", ");
  return row.values;
}

const defaultOf = (row: Row) =>
  row.fallback === undefined ? (fallbackOf(row) ?? "none") : code(row.fallback);
