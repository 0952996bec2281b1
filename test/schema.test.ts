/** Promise: checked values keep exactly what their schema names, at every depth. */
import { expect, test } from "bun:test";
import Type from "typebox";
import { checker } from "../src/schema.ts";

const inner = Type.Object({
  name: Type.String(),
  list: Type.Optional(Type.Array(Type.Object({ at: Type.Number() }))),
});
const schema = checker(
  Type.Object({
    either: Type.Optional(Type.Union([Type.String(), inner, Type.Null()])),
    any: Type.Optional(Type.Unknown()),
  }),
);

test.each([
  [{}, {}],
  [{ either: "text", more: 1 }, { either: "text" }],
  [{ either: null }, { either: null }],
  [{ either: { name: "a", more: { deep: 1 } } }, { either: { name: "a" } }],
  [
    { either: { name: "a", list: [{ at: 1, x: 2 }, { at: 3 }] } },
    { either: { name: "a", list: [{ at: 1 }, { at: 3 }] } },
  ],
  [{ any: { as: ["it", { is: 1 }] } }, { any: { as: ["it", { is: 1 }] } }],
  [JSON.parse('{"__proto__":{"either":"x"},"constructor":1,"either":"y"}'), { either: "y" }],
])("%j is reduced to %j", (input, kept) => {
  const before = JSON.stringify(input);
  const { value } = schema.check(input);
  expect(schema.clean(value!)).toEqual(kept);
  expect(JSON.stringify(input)).toBe(before);
});
