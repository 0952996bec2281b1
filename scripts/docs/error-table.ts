/** The error codes of docs/requests.md: those of the public API, by status. */
import { type Code, ERRORS } from "../../src/error-codes.ts";
import { aligned, withBlock } from "./blocks.ts";

/** The page with the table. */
export function withErrors(page: string): string {
  const rows = (Object.keys(ERRORS) as Code[])
    .map((code) => ({ code, ...ERRORS[code] }))
    .filter(({ meaning }) => meaning !== undefined)
    .sort((one, other) => one.status - other.status)
    .map(({ code, status, meaning = "" }) => [`${status}`, `\`${code}\``, meaning]);
  const lines = aligned([["Status", "Code", "Meaning"], ...rows]);
  return withBlock(page, "errors", lines.join("\n"));
}
