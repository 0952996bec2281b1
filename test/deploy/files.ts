/** What the tests read of compose files, manifests, the unit and the Dockerfile, which name the server's variables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../deploy/build/target.ts";
import { type Config, readConfig, SECRETS, VARIABLES } from "../../src/config/config.ts";

export const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
export const yaml = <Type>(path: string): Type => Bun.YAML.parse(read(path)) as Type;

type Variables = Record<string, string>;

/** Names that the configuration does not read. */
export function unknownVariables(variables: Variables): string[] {
  const known = [...Object.keys(VARIABLES), ...SECRETS.map((name) => `${name}_FILE`)];
  return Object.keys(variables).filter((name) => !known.includes(name));
}

/** Without the files of secrets, which are elsewhere. Throws for a value that the server would refuse. */
export const configOf = (variables: Variables): Config =>
  readConfig(Object.fromEntries(Object.entries(variables).filter(([name]) => !name.endsWith("_FILE"))));

/** Responses to what the drain cut are sent after it. */
const LAST_WORDS_SECONDS = 5;

/** How long a supervisor must wait before it kills the process. */
export const stopSeconds = (variables: Variables): number =>
  configOf(variables).shutdown.drainMs / 1000 + LAST_WORDS_SECONDS;

/** The instructions of a Dockerfile, with continued lines joined: their name and the rest. */
export const instructions = (text: string): [string, string][] =>
  text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1).trim()]);

/** `A=1 B=2`, or one of them. */
export const assignments = (text: string): Variables =>
  Object.fromEntries(text.split(/\s+/).map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]));
