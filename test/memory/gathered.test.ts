/** Promise: gathered chunks read as the original, and clearing frees their memory at once. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Gathered } from "../../src/memory/spool.ts";

test("chunks of any size read as the whole", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 500 })), fc.nat(1000), (pieces, announcedBytes) => {
      const gathered = new Gathered(announcedBytes);
      for (const piece of pieces) gathered.append(piece);
      expect(gathered.bytes()).toEqual(Buffer.concat(pieces) as Buffer<ArrayBuffer>);
    }),
    { seed: 1 },
  );
});

test("clearing frees the memory, also with views of it", () => {
  const gathered = new Gathered();
  gathered.append(new Uint8Array(1000));
  const view = gathered.bytes();
  gathered.clear();
  expect(view.byteLength).toBe(0);
  expect(view.buffer.detached).toBe(true);
  gathered.append(Uint8Array.of(7));
  expect([...gathered.bytes()]).toEqual([7]);
});
