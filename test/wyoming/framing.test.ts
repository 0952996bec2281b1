/** Promise: events survive any division of their bytes, and nothing that a peer announces makes the reader keep too much. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/errors.ts";
import { encodeEvent, FRAME_LIMITS, FrameDecoder, type WyomingEvent } from "../../src/wyoming/framing.ts";
import { openChance } from "../fuzz/random.ts";

const bytesOf = (text: string) => Buffer.from(text);
const decode = (bytes: Uint8Array) => [...new FrameDecoder().push(bytes)];
const seeded = { seed: 16, numRuns: 200 };

const events = fc.array(
  fc.record({
    type: fc.string({ minLength: 1, maxLength: 20 }),
    data: fc.dictionary(
      fc.string({ maxLength: 8 }).filter((name) => name !== "__proto__"),
      fc.jsonValue(),
    ),
    payload: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 })),
  }),
  { maxLength: 6 },
);

test("any division of the bytes gives the same events", () => {
  fc.assert(
    fc.property(events, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, sizes) => {
      const bytes = Buffer.concat(sent.map((event) => encodeEvent(event as WyomingEvent)));
      const decoder = new FrameDecoder();
      const read: WyomingEvent[] = [];
      for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        read.push(...decoder.push(bytes.subarray(offset, offset + size)));
        offset += size;
      }
      expect(decoder.isInside).toBe(false);
      expect(JSON.stringify(read)).toBe(JSON.stringify(sent));
    }),
    seeded,
  );
});

test("data of the line and data after it are merged, the latter over the former", () => {
  const line = `{"type":"x","data":{"a":1,"b":1},"data_length":7,"payload_length":2}\n{"b":2}hi`;
  expect(decode(bytesOf(line))).toEqual([
    { type: "x", data: { a: 1, b: 2 }, payload: new Uint8Array([104, 105]) },
  ]);
  const nulls = `{"type":"x","data":null,"data_length":null,"payload_length":null,"version":"1"}\n`;
  expect(decode(bytesOf(nulls))).toEqual([{ type: "x", data: {}, payload: null }]);
  expect(decode(bytesOf(`{"type":"x","data":null,"data_length":7}\n{"b":2}`))[0]!.data).toEqual({ b: 2 });
});

test("an encoded event never has its data in the header line", () => {
  const written = encodeEvent({ type: "info", data: { text: "x".repeat(100_000) }, payload: null });
  expect(written.indexOf("\n")).toBeLessThan(100);
});

describe("a reader refuses", () => {
  test.each([
    ["an empty line", "\n"],
    ["what is not JSON", "GET / HTTP/1.1\n"],
    ["an array", "[]\n"],
    ["a null", "null\n"],
    ["a missing type", "{}\n"],
    ["a type that is no text", `{"type":1}\n`],
    ["an empty type", `{"type":""}\n`],
    ["a long type", `{"type":"${"x".repeat(101)}"}\n`],
    ["data that is no object", `{"type":"x","data":[]}\n`],
    ["data after the line that is no object", `{"type":"x","data_length":2}\n[]`],
    ["data after the line that is not JSON", `{"type":"x","data_length":2}\n{{`],
    ["a negative length", `{"type":"x","data_length":-1}\n`],
    ["a fraction as a length", `{"type":"x","payload_length":1.5}\n`],
    ["a length as text", `{"type":"x","payload_length":"5"}\n`],
    ["too much data", `{"type":"x","data_length":${FRAME_LIMITS.data + 1}}\n`],
    ["too large a payload", `{"type":"x","payload_length":${FRAME_LIMITS.payload + 1}}\n`],
    ["deep nesting", `{"type":"x","data":${"[".repeat(30_000)}\n`],
  ])("%s", (_name, text) => {
    expect(() => decode(bytesOf(text))).toThrow(Refusal);
  });

  test("a line without an end, once it is too long", () => {
    const decoder = new FrameDecoder();
    const piece = new Uint8Array(1024).fill(120);
    for (let sent = 0; sent < FRAME_LIMITS.header; sent += piece.length)
      expect([...decoder.push(piece)]).toEqual([]);
    expect(() => [...decoder.push(piece)]).toThrow("header of an event may have 65536 bytes");
  });

  test("a reader refuses text that is not UTF-8", () => {
    expect(() => decode(Buffer.concat([bytesOf('{"type":"'), Buffer.from([0xff]), bytesOf('"}\n')]))).toThrow(
      Refusal,
    );
  });
});

test("damaged bytes give events or a refusal, and nothing else", () => {
  const whole = Buffer.concat([
    encodeEvent({ type: "transcribe", data: { language: "en" }, payload: null }),
    encodeEvent({
      type: "audio-chunk",
      data: { rate: 16_000, width: 2, channels: 1 },
      payload: Buffer.alloc(64),
    }),
  ]);
  for (let number = 0; number < 3000; number++) {
    const chance = openChance(number);
    const bytes = Buffer.from(whole);
    for (let damage = 0; damage <= chance.below(4); damage++)
      bytes[chance.below(bytes.length)] = chance.below(256);
    try {
      for (const event of decode(bytes)) expect(typeof event.type).toBe("string");
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
    }
  }
});
