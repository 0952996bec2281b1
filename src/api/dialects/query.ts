/** The query of a dialect's request: what it names, read as text, flags, numbers and lists; what cannot be is refused by name. */
import { type Detail, invalidInput, Refusal } from "../../errors.ts";

const TEXT_MAX = 256;
const LIST_MAX = 100;
const TRUE = new Set(["true", "1"]);
const FALSE = new Set(["false", "0", ""]);

type Range = { min: number; max: number };

export class Query {
  readonly #values: URLSearchParams;

  constructor({ url }: Request) {
    this.#values = new URL(url).searchParams;
  }

  /** Null where it is absent or empty. The last counts. */
  text(name: string): string | null {
    const value = this.#values.getAll(name).at(-1) ?? "";
    if (value.length > TEXT_MAX) throw wrong(name, "too_long", `must have at most ${TEXT_MAX} characters`);
    return value === "" ? null : value;
  }

  flag(name: string): boolean {
    return this.flagOrNull(name) ?? false;
  }

  /** Null where it is absent. */
  flagOrNull(name: string): boolean | null {
    const value = this.text(name)?.toLowerCase() ?? null;
    if (value === null) return null;
    if (!TRUE.has(value) && !FALSE.has(value)) throw wrong(name, "wrong_type", "must be true or false");
    return TRUE.has(value);
  }

  number(name: string, { min, max }: Range): number | null {
    const value = this.text(name);
    if (value === null) return null;
    const number = Number(value);
    if (Number.isNaN(number)) throw wrong(name, "wrong_type", "must be a number");
    if (number < min || number > max) throw wrong(name, "out_of_range", `must be ${min} to ${max}`);
    return number;
  }

  whole(name: string, range: Range): number | null {
    const number = this.number(name, range);
    if (number !== null && !Number.isInteger(number)) throw wrong(name, "wrong_type", "must be an integer");
    return number;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    const value = this.text(name)?.toLowerCase() ?? null;
    if (value === null) return null;
    const known = values.find((each) => each === value);
    if (known === undefined) throw wrong(name, "not_one_of", `must be one of ${values.join(", ")}`);
    return known;
  }

  /** Of a name that may be repeated, without empty ones. */
  list(name: string): string[] {
    const values = this.#values.getAll(name).filter((value) => value.trim() !== "");
    if (values.length > LIST_MAX) throw wrong(name, "too_long", `must be there at most ${LIST_MAX} times`);
    if (values.some(({ length }) => length > TEXT_MAX))
      throw wrong(name, "too_long", `must have at most ${TEXT_MAX} characters`);
    return values;
  }

  /** Whether it is there and not switched off. */
  asks(name: string): boolean {
    return this.#values.getAll(name).some((value) => !FALSE.has(value.trim().toLowerCase()));
  }

  names(): string[] {
    return [...new Set(this.#values.keys())];
  }

  /** Throws for the first that is asked for: it would change what the client gets, and cannot be had. */
  refuse(reasons: Record<string, string>): void {
    for (const [name, reason] of Object.entries(reasons))
      if (this.asks(name)) throw unsupported(name, reason);
  }
}

function wrong(field: string, code: Detail["code"], message: string): Refusal {
  return invalidInput([{ field, code, message }]);
}

export const unsupported = (param: string, reason: string): Refusal =>
  new Refusal("unsupported_parameter", `${param} is not supported: ${reason}`, { param });
