/** The kinds of fields that identity routes take: each checks one string and says what is wrong with it. */
import type { Detail } from "../../errors.ts";
import { isEmail } from "./email.ts";

export const PASSWORD = { min: 10, max: 128 }; // characters

type Violation = Omit<Detail, "field">;

export type Kind = { check: (value: string) => Violation | null; optional?: true };

const lengthFrom =
  (min: number, max: number) =>
  (value: string): Violation | null => {
    if (value.length < min) return { code: "too_short", message: `must have ${min} characters or more` };
    return value.length > max ? { code: "too_long", message: `must have ${max} characters or fewer` } : null;
  };

export const text = (max: number): Kind => ({ check: lengthFrom(1, max) });
export const name: Kind = {
  check: (value) => {
    const wrong = lengthFrom(1, 100)(value.trim());
    if (wrong) return wrong;
    return /[\p{Cc}\u2028-\u202E\u2066-\u2069]/u.test(value)
      ? { code: "malformed", message: "must be one line of text" }
      : null;
  },
};
export const email: Kind = {
  check: (value) => (isEmail(value) ? null : { code: "malformed", message: "must be an e-mail address" }),
};
export const newPassword: Kind = { check: lengthFrom(PASSWORD.min, PASSWORD.max) };
const oneOf = (...choices: string[]): Kind => ({
  check: (value) =>
    choices.includes(value) ? null : { code: "not_one_of", message: `must be one of ${choices.join(", ")}` },
});
export const role = oneOf("owner", "admin", "member");
export const keys: Kind = { ...oneOf("revoke", "keep"), optional: true };
export const id = text(64);
export const token = text(4096);
export const password = text(PASSWORD.max);

/** What is wrong with a value that a client sent for a required field. */
export function violationOf(value: unknown, check: Kind["check"]): Violation | null {
  if (value === undefined || value === null) return { code: "required", message: "is required" };
  if (typeof value !== "string") return { code: "wrong_type", message: "must be text" };
  const wrong = check(value);
  if (wrong) return wrong;
  const isStorable = !value.includes("\0") && value.isWellFormed(); // in every database
  return isStorable ? null : { code: "malformed", message: "contains an invalid character" };
}
