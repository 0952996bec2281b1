/**
 * Reads one variable of the environment: absence becomes a fallback or null, and an error names the variable and
 * leaves out a value that may be secret.
 */

import { isIP } from "node:net";
import { OperatorError } from "../errors.ts";
import { VARIABLES, type Variable } from "./variables.ts";

/** An invalid setting; the message names the variable. */
export class ConfigError extends OperatorError {}

export type Environment = Record<string, string | undefined>;

/** Null for 0: never. */
export const minutes = (count: number) => (count === 0 ? null : count * 60_000);

/** Here and below, `fallback` is by default that of the table. */
export function text(environment: Environment, name: Variable, fallback = VARIABLES[name].fallback): string {
  const value = environment[name];
  if (value === undefined) return fallback;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it to use ${fallback}.`);
  return value;
}

export const address = (environment: Environment, name: Variable, schemes: string[]): string | null =>
  addressIn(environment[name], name, schemes);

/** The message leaves the value out: it may contain a password. */
export function addressIn(value: string | undefined, name: Variable, schemes: string[]): string | null {
  if (value === undefined) return null;
  if (schemes.includes(URL.parse(value)?.protocol ?? "") && value.length > value.indexOf("//") + 2)
    return value;
  throw new ConfigError(`${name} must be a URL that starts with ${schemes[0]}//.`);
}

/** Several addresses, with commas between them. */
export const addresses = (environment: Environment, name: Variable, schemes: string[]): string[] =>
  (environment[name] ?? "").split(",").flatMap((part) => {
    const value = part.trim();
    return value === "" ? [] : [addressIn(value, name, schemes)!];
  });

export function networks(environment: Environment, name: Variable): string[] {
  const values = list(environment, name);
  const wrong = values.find((each) => !isNetwork(each));
  if (wrong === undefined) return values;
  throw new ConfigError(
    `${name} has "${wrong}", which is neither an IP address nor a network such as 10.0.0.0/8.`,
  );
}

function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...more] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return more.length === 0 && !address.includes("%") && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

export const list = (environment: Environment, name: Variable): string[] =>
  (environment[name] ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");

type Range = { min: number; max: number; fallback?: number };

export function whole(environment: Environment, name: Variable, { min, max, fallback }: Range): number {
  const value = environment[name];
  if (value === undefined) return fallback ?? Number(VARIABLES[name].fallback);
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  }
  return number;
}

/** Null where it is not set. */
export const optional = <T extends string>(
  environment: Environment,
  name: Variable,
  choices: readonly T[],
) => (environment[name] === undefined ? null : oneOf(environment, name, choices));

export function oneOf<T extends string>(environment: Environment, name: Variable, choices: readonly T[]): T {
  const value = environment[name] ?? VARIABLES[name].fallback;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}

/** Off unless it is 1. */
export const isOn = (environment: Environment, name: Variable): boolean =>
  oneOf(environment, name, ["0", "1"]) === "1";
