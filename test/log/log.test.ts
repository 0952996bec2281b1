/** Promise: a log line is one JSON object of bounded length without customers' content. */
import { describe, expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm";
import { unavailableOnError } from "../../src/errors.ts";
import { openLog, openProcessLog } from "../../src/log/log.ts";

function logged(fields: object): string {
  const lines: string[] = [];
  openLog("debug", (line) => lines.push(line)).error("request_failed", { ...fields });
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

describe("the log of the process", () => {
  const written = (
    output: { isTTY?: boolean; getColorDepth?: () => number },
    format: "json" | "text" | null,
  ) => {
    let text = "";
    const log = openProcessLog(
      { level: "info", format },
      {
        ...output,
        write: (part, read) => {
          text += part;
          read();
        },
      },
    );
    log.info("request", { path: "/v1/audio/speech", status: 200, voice: null, agent: "a b\x1b[31m\x9b" });
    log.error("mail_failed", { cause: new Error("refused") });
    return text;
  };

  test("is JSON where the output is no terminal", () => {
    const lines = written({}, null).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(["request", "mail_failed"]);
  });

  test("is text on a terminal, without the control characters of what it logs", () => {
    const [first, second, third] = written({ isTTY: true }, null).split("\n");
    expect(first).toMatch(
      /^\d\d:\d\d:\d\d info {2}request {2}path=\/v1\/audio\/speech {2}status=200 {2}agent="a b\\u001b\[31m\\u009b"$/,
    );
    expect(second).toMatch(/^\S+ error mail_failed$/);
    expect(third).toBe("    refused");
  });

  test("has a brief line for each request on a terminal, and every field elsewhere and at the level debug", () => {
    const request = {
      ...{ id: "req_1", organizationId: "org_1", keyId: "key_1", createdAt: 1_795_586_900 },
      ...{ method: "POST", endpoint: "/v1/audio/speech", status: 200, model: "svc-tts1", voice: "a\x1bb" },
      ...{ characters: 25, audioSeconds: null, durationMs: 198, errorCode: null },
    };
    const line = (level: "info" | "debug", isTTY: boolean, fields: object = request) => {
      let text = "";
      const write = (part: string, read: () => void) => {
        text += part;
        read();
      };
      openProcessLog({ level, format: "text" }, { isTTY, write }).info("request", { ...fields });
      return text.trim();
    };
    expect(line("info", true)).toMatch(
      /^\S+ info {2}200 POST \/v1\/audio\/speech {2}svc-tts1 {2}a\\u001bb {2}25 characters {2}198 ms {2}req_1$/,
    );
    const refused = {
      ...request,
      status: 404,
      errorCode: "invalid_voice",
      characters: null,
      audioSeconds: 3.25,
    };
    expect(line("info", true, refused)).toMatch(
      /404 POST \/v1\/audio\/speech {2}invalid_voice {2}svc-tts1 {2}\S+ {2}3\.3 s of audio {2}198 ms/,
    );
    for (const whole of [line("info", false), line("debug", true)])
      expect(whole).toContain("organizationId=org_1");
  });

  test("has colours only where the terminal has them", () => {
    expect(written({ isTTY: true, getColorDepth: () => 1 }, null)).not.toContain("\x1b");
    expect(written({ isTTY: true, getColorDepth: () => 8 }, null)).toContain("\x1b[31merror\x1b[39m");
    expect(written({ getColorDepth: () => 8 }, "text")).not.toContain("\x1b");
  });

  test("LOG_FORMAT decides where it is set", () => {
    expect(JSON.parse(written({ isTTY: true }, "json").split("\n")[0]!).event).toBe("request");
    expect(written({}, "text")).toContain("status=200");
  });
});

test("the level can be switched to debug and back while the process runs", () => {
  const lines: string[] = [];
  const output = {
    write(line: string, read: () => void) {
      lines.push(JSON.parse(line).event);
      read();
    },
  };
  const log = openProcessLog({ level: "error", format: "json" }, output);
  log.debug("request_rejected");
  log.toggleDebug();
  log.debug("request_rejected");
  log.toggleDebug();
  log.info("closing");
  log.error("request_failed");
  expect(lines).toEqual(["log_level_changed", "request_rejected", "log_level_changed", "request_failed"]);
});
