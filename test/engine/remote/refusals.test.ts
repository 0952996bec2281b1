/** Promise: of the refusals of an engine node, those that are about an engine alone reach a caller. */

import { expect, test } from "bun:test";
import { soleClaim } from "../../../src/engine/runner.ts";
import { CODES, type Code } from "../../../src/error-codes.ts";
import { Refusal } from "../../../src/errors.ts";
import { ANY_TASK } from "../any-task.ts";
import { join, openFleet } from "./joined.ts";

const ABOUT_ENGINES: Code[] = [
  "inference_unavailable",
  "inference_rejected",
  "transcription_failed",
  "unsupported_parameter",
  "voice_not_supported",
  "word_times_not_supported",
  "service_unavailable",
];

const outcomeOf = async (code: Code) => {
  using fleet = openFleet();
  await join(fleet, {
    name: "a",
    run: async () => {
      throw new Refusal(code, "as the node says", { param: "voice" });
    },
  });
  return await fleet
    .engine("e", null)
    .run(ANY_TASK, soleClaim())
    .catch((error: unknown) => error);
};

test("a refusal that an engine may have reaches the caller as it is", async () => {
  for (const code of ABOUT_ENGINES)
    expect(await outcomeOf(code)).toMatchObject({ code, message: "as the node says", param: "voice" });
});

test("a node that speaks of keys, credit, limits or anything else of the API has failed", async () => {
  for (const code of CODES.filter((each) => !ABOUT_ENGINES.includes(each)))
    expect(await outcomeOf(code)).not.toMatchObject({ code });
});
