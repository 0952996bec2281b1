/**
 * The WebAssembly module of `simd.ts`, put together from its instructions: one function, `run`, over an imported memory.
 *
 *   for each output:  row = row0 + round(part · phasesOverUp) · rowBytes
 *                     out = Σ over the row, eight products at a time in two vectors
 *                     input += stepBytes, part += stepPart, and one sample more where part reaches `up`
 *
 * Encodings: https://webassembly.github.io/spec/core/binary/
 */

const I32 = 0x7f;
const F64 = 0x7c;
const V128 = 0x7b;

/** The parameters of `run`, then its variables. */
const [INPUT, ROW0, OUT, OUT_END, PART, UP, STEP_BYTES, STEP_PART, ROW_BYTES, PHASES_OVER_UP] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];
const [AT, TAP, ROW_END, SUM, OTHER_SUM] = [10, 11, 12, 13, 14];
const PARAMETERS = [...Array<number>(9).fill(I32), F64];

const VECTOR_BYTES = 16;
const SAMPLE_BYTES = 4;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local]; // sets, and leaves the value on the stack
const integer = (value: number) => [0x41, ...signed(value)];
const half = [0x44, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]; // f64.const 0.5
const [repeat, when, end, againIf] = [[0x03, 0x40], [0x04, 0x40], [0x0b], [0x0d, 0]];
const [isBelow, isAtLeast] = [[0x49], [0x4e]];
const [add, subtract, multiply, addFloats] = [[0x6a], [0x6b], [0x6c], [0x92]];
const [toDouble, multiplyDoubles, addDoubles, truncate] = [[0xb7], [0xa2], [0xa0], [0xaa]];
const storeFloat = [0x38, 2, 0];

const vector = (code: number, ...operands: number[]) => [0xfd, ...unsigned(code), ...operands];
const load = (offset: number) => vector(0, 0, offset);
const noSum = vector(12, ...Array<number>(VECTOR_BYTES).fill(0));
const [addVectors, multiplyVectors] = [vector(0xe4), vector(0xe6)];
const component = (index: number) => vector(0x1f, index);

const addProducts = (offset: number, sum: number) => [
  ...[...get(AT), ...load(offset), ...get(TAP), ...load(offset), ...multiplyVectors],
  ...[...get(sum), ...addVectors, ...set(sum)],
];
const advance = (local: number, bytes: number) => [...get(local), ...integer(bytes), ...add];

const beginRow = [
  ...[
    ...get(PART),
    ...toDouble,
    ...get(PHASES_OVER_UP),
    ...multiplyDoubles,
    ...half,
    ...addDoubles,
    ...truncate,
  ],
  ...[
    ...get(ROW_BYTES),
    ...multiply,
    ...get(ROW0),
    ...add,
    ...tee(TAP),
    ...get(ROW_BYTES),
    ...add,
    ...set(ROW_END),
  ],
  ...[...get(INPUT), ...set(AT), ...noSum, ...tee(SUM), ...set(OTHER_SUM)],
];

const sumRow = [
  ...repeat,
  ...[...addProducts(0, SUM), ...addProducts(VECTOR_BYTES, OTHER_SUM)],
  ...[...advance(AT, 2 * VECTOR_BYTES), ...set(AT), ...advance(TAP, 2 * VECTOR_BYTES), ...tee(TAP)],
  ...[...get(ROW_END), ...isBelow, ...againIf],
  ...end,
];

const storeSum = [
  ...[...get(OUT), ...get(SUM), ...get(OTHER_SUM), ...addVectors, ...tee(SUM), ...component(0)],
  ...[...get(SUM), ...component(1), ...addFloats, ...get(SUM), ...component(2), ...get(SUM), ...component(3)],
  ...[...addFloats, ...addFloats, ...storeFloat],
];

const nextOutput = [
  ...[...get(INPUT), ...get(STEP_BYTES), ...add, ...set(INPUT)],
  ...[...get(PART), ...get(STEP_PART), ...add, ...tee(PART), ...get(UP), ...isAtLeast, ...when],
  ...[...get(PART), ...get(UP), ...subtract, ...set(PART), ...advance(INPUT, SAMPLE_BYTES), ...set(INPUT)],
  ...end,
  ...[...advance(OUT, SAMPLE_BYTES), ...tee(OUT), ...get(OUT_END), ...isBelow],
];

const VARIABLES = list([3, I32], [2, V128]);
const CODE = [...repeat, ...beginRow, ...sumRow, ...storeSum, ...nextOutput, ...againIf, ...end, ...end];

export function simdModule(): Uint8Array<ArrayBuffer> {
  const body = [...VARIABLES, ...CODE];
  return Uint8Array.from([
    ...[0, ...ascii("asm"), 1, 0, 0, 0],
    ...section(1, [0x60, ...list(...PARAMETERS.map((type) => [type])), 0]),
    ...section(2, [...name("env"), ...name("memory"), 2, 0, 1]),
    ...section(3, [0]),
    ...section(7, [...name("run"), 0, 0]),
    ...section(10, [...unsigned(body.length), ...body]),
  ]);
}

/** A section of one entry. */
function section(id: number, entry: number[]): number[] {
  const content = list(entry);
  return [id, ...unsigned(content.length), ...content];
}

function list(...entries: number[][]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));
const name = (text: string) => [text.length, ...ascii(text)];

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128, for numbers from 0 on. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
