/**
 * What a request says of being sent again, and what it is recognized by.
 *
 *   Idempotency-Key              of the caller
 *   x-stainless-retry-count      of OpenAI's libraries: how often the request was sent before
 */
import { Refusal } from "../../../errors.ts";
import type { Parsed } from "./upload-parser.ts";

const KEY = "idempotency-key";
const RETRY_COUNT = "x-stainless-retry-count";
const KEY_MAX = 255;
const PATH_MAX = 200; // every route's is shorter

/** Null for a client that sends neither header. `attempt`: how often its client sent it before. */
export function repeatingOf({ headers, url }: Request) {
  const key = headers.get(KEY);
  const count = headers.get(RETRY_COUNT);
  if (key === null && count === null) return null;
  const attempt = /^\d{1,3}$/.test(count ?? "") ? Number(count) : 0;
  return { key, attempt, path: new URL(url).pathname.slice(0, PATH_MAX) };
}

export function checkKey({ headers }: Request): void {
  const key = headers.get(KEY);
  if (key === null || (key.length <= KEY_MAX && /^[!-~]+$/.test(key))) return;
  const message = `must be 1 to ${KEY_MAX} visible ASCII characters`;
  throw new Refusal("validation_error", `The header Idempotency-Key ${message}.`, {
    details: [{ field: "Idempotency-Key", code: "malformed", message }],
    param: "Idempotency-Key",
  });
}

/** Of a body as parsed: the order of its members makes no difference. */
export const jsonFingerprint = (body: unknown): string =>
  digest().update(canonical(body)).digest("base64url");

/** Of the fields and the file, and not of the body, whose boundaries differ each time. */
export const uploadFingerprint = ({ file, text }: Parsed): Promise<string> =>
  formFingerprint(Object.fromEntries(text), [file]);

/** `fields`: with the sizes of the files, where there are several. */
export async function formFingerprint(fields: object, files: Uint8Array[]): Promise<string> {
  const hash = digest().update(canonical(fields));
  for (const file of files)
    for (let start = 0; start < file.length; start += SLICE_BYTES) {
      if (start > 0) await new Promise(setImmediate); // others are served meanwhile
      hash.update(file.subarray(start, start + SLICE_BYTES));
    }
  return hash.digest("base64url");
}

const digest = () => new Bun.CryptoHasher("sha256");
const SLICE_BYTES = 1024 * 1024; // about a millisecond

/** JSON whose members are in order. How deep a body nests was limited when it was parsed. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}
