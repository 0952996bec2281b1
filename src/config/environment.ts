/**
 * Reads one variable of the environment: absence becomes a fallback or null, and an error names the variable and
 * leaves out a value that may be secret.
 */

import { OperatorError } from "../errors.ts";
import { isNetwork } from "../networks.ts";
import { type ChoiceOf, fallbackOf, VARIABLES, type Variable, type VariableWith } from "./variables.ts";

/** An invalid setting; the message names the variable. */
export class ConfigError extends OperatorError {}

export type Environment = Record<string, string | undefined>;

/** Null for 0: never. */
export const minutes = (count: number) => (count === 0 ? null : count * 60_000);

/** Here and below: without a value that of the table; of those that end in `Or`, what the caller says. */
export const text = (environment: Environment, name: VariableWith<"values"> & VariableWith<"fallback">) =>
  textOr(environment, name, VARIABLES[name].fallback);

export function textOr<Absent>(
  environment: Environment,
  name: VariableWith<"values">,
  absent: Absent,
): string | Absent {
  const value = environment[name];
  if (value === undefined) return absent;
  if (value.trim() === "")
    throw new ConfigError(`${name} is empty. Unset it to use ${fallbackOf(VARIABLES[name]) ?? "none"}.`);
  return value;
}

export const address = (environment: Environment, name: VariableWith<"schemes">): string | null =>
  addressIn(environment[name], name);

/** The message leaves the value out: it may contain a password. */
export function addressIn(value: string | undefined, name: VariableWith<"schemes">): string | null {
  if (value === undefined) return null;
  const schemes: readonly string[] = VARIABLES[name].schemes;
  if (schemes.includes(URL.parse(value)?.protocol ?? "") && value.length > value.indexOf("//") + 2)
    return value;
  throw new ConfigError(`${name} must be a URL that starts with ${schemes[0]}//.`);
}

/** Several addresses, with commas between them. */
export const addresses = (environment: Environment, name: VariableWith<"schemes">): string[] =>
  (environment[name] ?? "").split(",").flatMap((part) => {
    const value = part.trim();
    return value === "" ? [] : [addressIn(value, name)!];
  });

export function networks(environment: Environment, name: Variable): string[] {
  const values = list(environment, name);
  const wrong = values.find((each) => !isNetwork(each));
  if (wrong === undefined) return values;
  throw new ConfigError(
    `${name} has "${wrong}", which is neither an IP address nor a network such as 10.0.0.0/8.`,
  );
}

export const list = (environment: Environment, name: Variable): string[] =>
  (environment[name] ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");

export const whole = (environment: Environment, name: VariableWith<"range"> & VariableWith<"fallback">) =>
  wholeOr(environment, name, Number(VARIABLES[name].fallback));

export function wholeOr<Absent>(
  environment: Environment,
  name: VariableWith<"range">,
  absent: Absent,
): number | Absent {
  const value = environment[name];
  if (value === undefined) return absent;
  const number = Number(value);
  const [min, max] = VARIABLES[name].range;
  if (!/^\d+$/.test(value) || number < min || number > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  return number;
}

export const oneOf = <Name extends VariableWith<"choices"> & VariableWith<"fallback">>(
  environment: Environment,
  name: Name,
): ChoiceOf<Name> => oneOfOr(environment, name, VARIABLES[name].fallback);

export function oneOfOr<Name extends VariableWith<"choices">, Absent>(
  environment: Environment,
  name: Name,
  absent: Absent,
): ChoiceOf<Name> | Absent {
  const value = environment[name];
  if (value === undefined) return absent;
  const choices: readonly ChoiceOf<Name>[] = VARIABLES[name].choices;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}
