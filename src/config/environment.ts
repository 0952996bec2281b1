/**
 * Reads one variable of the environment: absence becomes a fallback or null, and an error names the variable and
 * leaves out a value that may be secret.
 */

import { isIP } from "node:net";
import { OperatorError } from "../errors.ts";

/** An invalid setting; the message names the variable. */
export class ConfigError extends OperatorError {}

export type Environment = Record<string, string | undefined>;

/** Null for 0: never. */
export const minutes = (count: number) => (count === 0 ? null : count * 60_000);

export function text(environment: Environment, name: string, fallback: string): string {
  const value = environment[name];
  if (value === undefined) return fallback;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it to use ${fallback}.`);
  return value;
}

export const address = (environment: Environment, name: string, schemes: string[]): string | null =>
  addressIn(environment[name], name, schemes);

/** The message leaves the value out: it may contain a password. */
export function addressIn(value: string | undefined, name: string, schemes: string[]): string | null {
  if (value === undefined) return null;
  if (schemes.includes(URL.parse(value)?.protocol ?? "") && value.length > value.indexOf("//") + 2)
    return value;
  throw new ConfigError(`${name} must be a URL that starts with ${schemes[0]}//.`);
}

/** Several addresses, with commas between them. */
export const addresses = (environment: Environment, name: string, schemes: string[]): string[] =>
  (environment[name] ?? "").split(",").flatMap((part) => {
    const value = part.trim();
    return value === "" ? [] : [addressIn(value, name, schemes)!];
  });

export function networks(environment: Environment, name: string): string[] {
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

export const list = (environment: Environment, name: string): string[] =>
  (environment[name] ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");

type Range = { fallback: number; min: number; max: number };

export function whole(environment: Environment, name: string, { fallback, min, max }: Range): number {
  const value = environment[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  }
  return number;
}

type Choice<T> = { choices: readonly T[]; fallback: T };

export const optional = <T extends string>(environment: Environment, name: string, choices: readonly T[]) =>
  environment[name] === undefined ? null : oneOf(environment, name, { choices, fallback: choices[0]! });

export function oneOf<T extends string>(
  environment: Environment,
  name: string,
  { choices, fallback }: Choice<T>,
): T {
  const value = environment[name] ?? fallback;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}

/** Off unless it is 1. */
export const isOn = (environment: Environment, name: string): boolean =>
  oneOf(environment, name, { choices: ["0", "1"], fallback: "0" }) === "1";
