/** Promise: a log line is one JSON object of bounded length without customers' content. */
import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm";
import { unavailableOnError } from "../src/errors.ts";
import { openLog } from "../src/log.ts";

function logged(fields: object): string {
  const lines: string[] = [];
  openLog("debug", (line) => lines.push(line)).error("failed", { ...fields });
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

const PROMPT = "a secret prompt\n    at a place of its own";

test("a failed query is logged without its parameters", async () => {
  const failure = new DrizzleQueryError(
    "select * from t where hash = $1",
    [PROMPT],
    new Error("no connection"),
  );
  const fault = await unavailableOnError("The accounts", Promise.reject(failure)).catch(
    (cause: Error) => cause,
  );
  const line = logged({ cause: fault });
  expect(line).not.toContain("secret prompt");
  expect(line).not.toContain("place of its own");
  expect(line).toContain("select * from t where hash = $1");
  expect(line).toContain("no connection");
});

test("an error has its stack, and its message once", () => {
  const { cause } = JSON.parse(logged({ cause: new Error("odd one") }));
  expect(cause.message).toBe("odd one");
  expect(cause.stack).toContain("log.test.ts");
  expect(cause.stack).not.toContain("odd one");
});

test("no text is longer than 4,000 characters", () => {
  expect(logged({ told: "x".repeat(100_000), cause: new Error("y".repeat(100_000)) }).length).toBeLessThan(
    10_000,
  );
});
