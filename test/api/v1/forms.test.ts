/** Promise: a form costs no more than its bytes, and the memory held for recordings is bounded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Decoder } from "../../../src/engine/media/media-decoder.ts";
import { openBudget } from "../../../src/memory/budget.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { loopTurn } from "../../until.ts";
import { type Field, form } from "./form.ts";

const MIB = 1024 * 1024;
const PATH = "/v1/audio/transcriptions";
const MODEL: Field = ["model", "svc-stt1"];
const budget = openBudget(4 * MIB);

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ services: { budget } });
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("a form's fields", () => {
  test.each([
    ["the same field 60,000 times", () => "a"],
    ["60,000 fields", (index: number) => `field-${index}`],
  ])("%s are refused after 256 of them", async (_, nameOf) => {
    const fields = Array.from({ length: 60_000 }, (_, index): Field => [nameOf(index), "x"]);
    expect(await errorOf(await harness.ask(PATH, form([MODEL, ...fields])))).toMatchObject({
      status: 422,
      code: "validation_error",
      message: "The request body has more than 256 parts.",
    });
  });

  test("fields beside the file of more than 1 MiB are refused", async () => {
    const fields: Field[] = [MODEL, ["prompt", "x".repeat(MIB)]];
    expect(await errorOf(await harness.ask(PATH, form(fields)))).toMatchObject({
      status: 422,
      details: [{ field: "", code: "too_long" }],
    });
  });

  test("that repeat keep their order, and the last one counts where one is expected", async () => {
    const fields: Field[] = [["model", "none"], MODEL, ["file", Buffer.from("no audio")]];
    expect((await errorOf(await harness.ask(PATH, form(fields)))).code).toBe("invalid_audio");
  });
});

describe("prompts and keywords", () => {
  test.each([
    ["a keyword of 101 characters", ["keywords[]", "x".repeat(101)], "keywords.0"],
    ["a language of 101 characters", ["languages[]", "x".repeat(101)], "languages.0"],
    ["101 keywords", ["keywords", JSON.stringify(Array(101).fill("x"))], "keywords"],
  ] as [string, Field, string][])("%s are refused", async (_, field, name) => {
    const wav: Field = ["file", new Uint8Array(44)];
    expect(await errorOf(await harness.ask(PATH, form([MODEL, field, wav])))).toMatchObject({
      status: 422,
      details: [{ field: name, code: "too_long" }],
    });
  });
});

describe("memory for recordings", () => {
  const upload = (sizeBytes: number) => harness.ask(PATH, form([MODEL, ["file", Buffer.alloc(sizeBytes)]]));

  test("is limited for an organization, which is told to retry, and is released", async () => {
    const response = await upload(3 * MIB);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
    expect(budget.heldBytes()).toBe(0);
    expect((await errorOf(await upload(MIB))).code).toBe("invalid_audio");
  });

  test("is released when an upload is decoded or refused", async () => {
    const seen: Uint8Array[] = [];
    const decoder: Decoder = {
      async decode(bytes) {
        seen.push(bytes);
        expect(bytes.length).toBe(MIB);
        if (seen.length === 2) throw new Error("broken");
        return { refusal: "invalid_audio", message: "It is no audio." };
      },
    };
    await using server = await openHarness({ services: { decoder } });
    for (const status of [400, 500]) {
      const response = await server.ask(PATH, form([MODEL, ["file", Buffer.alloc(MIB)]]));
      expect(response.status).toBe(status);
    }
    expect(seen.map(({ length }) => length)).toEqual([0, 0]);
  });

  test("is waited for: sixteen recordings at once of which four have room are all transcribed", async () => {
    const decoder: Decoder = {
      async decode(bytes) {
        await loopTurn();
        return { samples: new Float32Array(bytes.length / 4), durationSeconds: 1, warnings: [] };
      },
    };
    await using server = await openHarness({ plan: "unmetered", services: { decoder, budget } });
    const upload = form([MODEL, ["file", Buffer.alloc(MIB / 2)]]);
    const all = await Promise.all(Array.from({ length: 16 }, () => server.ask(PATH, upload)));
    expect(all.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(budget.heldBytes()).toBe(0);
  });

  test("is limited for the server, which answers others with 503", async () => {
    const others = ["a", "b"].map((organizationId) => budget.open(organizationId));
    for (const holding of others) holding.take(2 * MIB);
    expect(await errorOf(await upload(1024))).toMatchObject({ status: 503, code: "service_unavailable" });
    for (const holding of others) holding.release();
    expect((await errorOf(await upload(1024))).code).toBe("invalid_audio");
  });
});
