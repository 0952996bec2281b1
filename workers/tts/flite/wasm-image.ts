/**
 * A WebAssembly program in two parts: its code, which is compiled once, and the data that its memory begins with, which is
 * read from the file into each new instance. So no copy of the data stays in memory where no instance is.
 *
 *   file     magic  sections 1 to 10 (code)  data: [constant][variable]  debugging sections, which are skipped
 *   memory   zeros  constant: read, never written   variable: its initial values   zeros: stack and heap
 */
import type { ReadAsset } from "../../../src/resources.ts";

type Segment = { address: number; offset: number; length: number };

export type WasmImage = {
  module: WebAssembly.Module;
  /** Bytes of memory that the program only reads. */
  constant: { start: number; end: number };
  /** Fills the constant part of a new memory. */
  load(memory: Uint8Array): void;
  /** Gives everything else its initial values. */
  reset(memory: Uint8Array): void;
};

const HEAD_BYTES = 512 * 1024; // all sections before the data
const DATA_SECTION = 11;
const MAGIC_BYTES = 8;
const I32_CONST = 0x41;

/** Of a program with two data segments, the constant one first, as LLVM's linker lays them out. */
export function readImage(read: ReadAsset): WasmImage {
  const head = new Uint8Array(HEAD_BYTES);
  read(head, 0);
  const code = dataSectionOf(head);
  const constant = segmentAt(read, code.contents);
  const variable = segmentAt(read, constant.offset + constant.length);
  const initial = new Uint8Array(variable.length);
  read(initial, variable.offset);
  const [start, end] = [constant.address, constant.address + constant.length];
  return {
    module: new WebAssembly.Module(head.slice(0, code.start)),
    constant: { start, end },
    load: (memory) => read(memory.subarray(start, end), constant.offset),
    reset(memory) {
      memory.fill(0, 0, start);
      memory.fill(0, end);
      memory.set(initial, variable.address);
    },
  };
}

/** Where the section begins, and its first segment. */
function dataSectionOf(head: Uint8Array): { start: number; contents: number } {
  let position = MAGIC_BYTES;
  while (position < head.length) {
    const length = leb128(head, position + 1);
    if (head[position] === DATA_SECTION) {
      const count = leb128(head, length.end);
      if (count.value !== 2) throw new Error(`the program has ${count.value} data segments, not 2`);
      return { start: position, contents: count.end };
    }
    position = length.end + length.value;
  }
  throw new Error("the program has no data section");
}

const SEGMENT_HEAD_BYTES = 16; // mode, i32.const, address, end, length

function segmentAt(read: ReadAsset, offset: number): Segment {
  const head = new Uint8Array(SEGMENT_HEAD_BYTES);
  read(head, offset);
  if (head[0] !== 0 || head[1] !== I32_CONST) throw new Error("a data segment has no fixed address");
  const address = leb128(head, 2);
  const length = leb128(head, address.end + 1);
  return { address: address.value, offset: offset + length.end, length: length.value };
}

/** An unsigned number of WebAssembly's binary format. */
function leb128(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let [at, shift] = [start, 0]; ; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, end: at };
  }
}
