/** Promise: every code has its status and type, and an error reveals nothing internal. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { envelope, toFault } from "../../../src/api/middleware/faults.ts";
import { type Code, ERRORS } from "../../../src/error-codes.ts";
import { invalidInput, Refusal } from "../../../src/errors.ts";

/** The types of the specification, by status. */
const TYPES: Record<number, string> = {
  400: "invalid_request",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found",
  405: "invalid_request",
  409: "conflict",
  415: "invalid_request",
  422: "invalid_request",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "api_error",
};

describe("the error table", () => {
  test.each(Object.entries(ERRORS))("gives %s its status and type", (name, { status, meaning, message }) => {
    const code = name as Code;
    const fault = toFault(new Refusal(code, "why", { param: "field" }));
    expect(fault.status).toBe(status);
    expect(envelope(fault, "req_1")).toEqual({
      error: {
        type: TYPES[status]!,
        code,
        message: expect.stringMatching(/^why( To transcribe files, .*)?$/),
        param: "field",
        request_id: "req_1",
      },
    });
    expect(message === undefined).toBe(meaning === undefined); // both for the public API, or none
  });

  test("has no code that nothing refuses with", () => {
    const src = join(import.meta.dir, "../../../src");
    const texts = [...new Glob("**/*.{ts,tsx}").scanSync(src)]
      .filter((path) => !/^(error|conversation|voice)-codes\.ts$/.test(path) && !path.startsWith("web/"))
      .map((path) => readFileSync(join(src, path), "utf8"))
      .join("\n");
    expect(Object.keys(ERRORS).filter((code) => !texts.includes(`"${code}"`))).toEqual([]);
  });
});

test("an internal error reveals neither its message nor its stack", () => {
  const body = JSON.stringify(envelope(toFault(new Error("password=hunter2 at /srv/secret.ts")), "req_1"));
  expect(body).toContain("internal_error");
  expect(body).not.toMatch(/hunter2|secret/);
});

test("validation errors name every invalid field in the details, and the first one in the message", () => {
  const fault = toFault(
    invalidInput([
      { field: "speed", code: "out_of_range", message: "must be <= 4" },
      { field: "input", code: "required", message: "is required" },
    ]),
  );
  expect(envelope(fault, "req_1")).toMatchObject({
    error: {
      message: "speed must be <= 4.",
      param: "speed",
      details: [{ field: "speed" }, { field: "input" }],
    },
  });
});
