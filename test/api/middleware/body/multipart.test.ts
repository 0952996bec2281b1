/** Promise: multipart/form-data reads the same however it is divided into chunks, and costs no more than its bytes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  boundaryOf,
  MultipartError,
  MultipartReader,
} from "../../../../src/api/middleware/body/multipart.ts";
import { type Field, form } from "../../v1/form.ts";

type Seen = { name: string; isFile: boolean; content: string };

function read(chunks: Uint8Array[], boundary = "x-boundary"): Seen[] {
  const seen: Seen[] = [];
  const reader = new MultipartReader(boundary, {
    begin: ({ name, isFile }) => void seen.push({ name, isFile, content: "" }),
    content(bytes) {
      seen.at(-1)!.content += Buffer.from(bytes).toString("latin1");
    },
    end: () => {},
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

const cut = (body: Buffer, offsets: number[]): Uint8Array[] => {
  const places = [0, ...offsets.map((each) => each % body.length).sort((a, b) => a - b), body.length];
  return places.slice(1).map((end, index) => body.subarray(places[index], end));
};

const field = fc.tuple(
  fc.constantFrom("file", "model", "keywords[]"),
  fc.oneof(
    fc.string({ maxLength: 40 }).map((text) => Buffer.from(text).toString("latin1")),
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom("\r\n--x-boundar", "\r\n", "--", "\r\n--", ""),
  ),
);

test("a form divided into any chunks reads as it was written", () => {
  fc.assert(
    fc.property(
      fc.array(field, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (fields, index) => {
        const { body } = form(fields as Field[]);
        const expected = fields.map(([name, value]) => ({
          name,
          isFile: typeof value !== "string",
          content: Buffer.from(value).toString("latin1"),
        }));
        expect(read(cut(body, index))).toEqual(expected);
      },
    ),
    { seed: 1 },
  );
});

test("large chunks of content are passed on as they came, also behind the rest of the one before", () => {
  const { body } = form([["file", new Uint8Array(300_000)]]);
  const chunks = [100_000, 200_000, 250_000].map((end, at) =>
    Uint8Array.from(body.subarray([0, 100_000, 200_000][at], end)),
  );
  const passed: Uint8Array[] = [];
  const content = (bytes: Uint8Array) => void passed.push(bytes);
  const reader = new MultipartReader("x-boundary", { begin: () => {}, content, end: () => {} });
  for (const chunk of chunks) reader.push(chunk);
  const large = passed.filter(({ length }) => length > 1000);
  const isUncopied = large.map(({ buffer }, index) => buffer === chunks[index]!.buffer);
  expect(isUncopied).toEqual([false, true, true]); // the first begins with the boundary
});

test("a form that arrives byte by byte reads as the same form", () => {
  const { body } = form([
    ["model", "m"],
    ["file", Buffer.alloc(300, "\r\n--x-b")],
  ]);
  expect(read([...body].map((byte) => Uint8Array.of(byte)))).toEqual(read([body]));
});

describe("the name of a part is read from", () => {
  const cases: [string, Pick<Seen, "name" | "isFile">][] = [
    ['form-data; name="a"', { name: "a", isFile: false }],
    ["form-data; name=a", { name: "a", isFile: false }],
    ['form-data; NAME="a b"; filename="x;y.wav"', { name: "a b", isFile: true }],
    ["form-data; name=a; filename*=UTF-8''x.wav", { name: "a", isFile: true }],
    ['form-data; filename="name=b"; name="a"', { name: "a", isFile: true }],
    ['form-data; name="a\\"b"', { name: 'a"b', isFile: false }],
    ['form-data;name="ключ"', { name: "ключ", isFile: false }],
  ];
  test.each(cases)("%s", (disposition, expected) => {
    const body = `--b\r\ncontent-type: text/plain\r\nCONTENT-DISPOSITION: ${disposition}\r\n\r\nvalue\r\n--b--`;
    expect(read([Buffer.from(body)], "b")).toEqual([{ ...expected, content: "value" }]);
  });
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; charset=utf-8; boundary="a b;c"', "a b;c"],
  ["Multipart/Form-Data; Boundary=X-1; foo=bar", "X-1"],
  ["multipart/form-data", null],
  ["multipart/form-data; boundary=", null],
])("the boundary of %s is %p", (type, boundary) => expect(boundaryOf(type)).toBe(boundary));

describe("a form is refused as soon as it arrives with", () => {
  const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n';
  const cases: [string, string][] = [
    ["no boundary", "hello"],
    ["no closing boundary", `${part}value`],
    ["no name", "--b\r\ncontent-disposition: form-data\r\n\r\nvalue\r\n--b--"],
    ["no disposition", "--b\r\ncontent-type: text/plain\r\n\r\nvalue\r\n--b--"],
    ["more than 256 parts", `${`${part}\r\n`.repeat(257)}--b--`],
    ["headers of more than 8 KiB", `--b\r\nx: ${"y".repeat(9000)}\r\n\r\n`],
    ["headers that never end", `--b\r\nx: ${"y".repeat(9000)}`],
  ];
  test.each(cases)("%s", (_, body) => {
    expect(() => read([Buffer.from(body)], "b")).toThrow(MultipartError);
  });

  test("only more than 256 parts, and 256 are read", () => {
    expect(read([Buffer.from(`${`${part}\r\n`.repeat(256)}--b--`)], "b").length).toBe(256);
  });
});
