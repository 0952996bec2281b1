/**
 * The environment variables: the one table. Readers take defaults, ranges and choices from it; `loquat --help`, the manual page
 * and docs/configuration.md are written from it.
 */
import { CLIENT } from "./client-variables.ts";
import { SERVER } from "./server-variables.ts";
import { SERVICE } from "./service-variables.ts";
import { SIGN_IN } from "./sign-in-variables.ts";

/** What a value may be: a whole number, one of some words, an address with one of some schemes, or what the words say. */
type Values =
  | { range: readonly [min: number, max: number] }
  | { choices: readonly string[] }
  | { schemes: readonly string[] }
  | { values: string };

/**
 * `meaning`: Markdown; its first sentence is all that --help says. `fallback`: the value that is assumed without one; `absent`: in
 * words, where that is no fixed value; neither: it is none. `secret`: NAME_FILE may name a file to read it from.
 */
export type Row = Values & { meaning: string; fallback?: string; absent?: string; secret?: true };

export const VARIABLES = {
  ...SERVER.Network,
  ...SERVER["Data and nodes"],
  ...SERVER["Stopping, logs, metrics and traces"],
  ...SERVICE["Models and engines"],
  ...SERVICE["Accounts, voices and payments"],
  ...SIGN_IN["Sign-in for companies"],
  ...CLIENT["Command line"],
} as const satisfies Record<string, Row>;

export type Variable = keyof typeof VARIABLES;
/** Those whose row has that field. */
export type VariableWith<Field extends string> = {
  [Name in Variable]: (typeof VARIABLES)[Name] extends Record<Field, unknown> ? Name : never;
}[Variable];
export type ChoiceOf<Name extends VariableWith<"choices">> = (typeof VARIABLES)[Name]["choices"][number];

/** Variables that may contain a secret: NAME_FILE names a file to read each of them from. */
export const SECRETS = Object.entries<Row>(VARIABLES)
  .filter(([, row]) => row.secret === true)
  .map(([name]) => name as VariableWith<"secret">);

/** Without one: the value that is assumed, or in words what happens; null: nothing. */
export const fallbackOf = ({ fallback, absent }: Row): string | null => fallback ?? absent ?? null;

/** A line of --help: the first sentence of its meaning as plain text, its choices and its default. */
export function summaryOf(row: Row): string {
  const [, sentence = ""] = /^(.*?)\.(?: |$)/.exec(row.meaning) ?? [];
  const fallback = fallbackOf(row);
  const choices = "choices" in row ? [row.choices.join(", ")] : [];
  const facts = [...choices, ...(fallback === null ? [] : [`default: ${fallback}`])];
  const plain = sentence.replaceAll(/\[([^[\]]*)\]\([^()]*\)|`/g, "$1");
  return facts.length === 0 ? plain : `${plain} (${facts.join("; ")})`;
}
