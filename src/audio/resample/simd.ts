/**
 * The inner loop of rate conversions as a WebAssembly function of 128-bit vectors.
 *
 *   memory   [ input of some outputs, zeros behind it │ outputs │ coefficients of the banks in use ]
 */
import { type FilterBank, TOGETHER } from "./filter-bank.ts";
import type { Convolve, Place } from "./plain.ts";
import { simdModule } from "./simd-module.ts";

const OUTPUTS = 2048; // at a time
const PAGE_BYTES = 65_536;
const BANKS_MAX_BYTES = 64 * 1024 * 1024;

/** Byte addresses, a count of outputs, and of what `Place` and `FilterBank` describe. */
type Run = (
  ...numbers: [
    input: number,
    row0: number,
    out: number,
    outEnd: number,
    part: number,
    up: number,
    stepBytes: number,
    stepPart: number,
    rowBytes: number,
    phasesOverUp: number,
  ]
) => void;

/** Null where the runtime has no such instructions. */
export function openSimd(): Convolve | null {
  const bytes = simdModule();
  if (!WebAssembly.validate(bytes)) return null;
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const run = exports.run as Run;
  const layout = openLayout(memory);
  return (bank, place, out) => {
    for (let made = 0; made < out.length; made += OUTPUTS)
      runOnce({ run, ...layout(bank) }, placeOf(bank, place, made), out.subarray(made, made + OUTPUTS));
  };
}

type Layout = {
  floats: Float32Array;
  bank: FilterBank;
  inputLength: number;
  outStart: number;
  bankStart: number;
};

/** Where the next outputs begin. */
function placeOf({ up, down }: FilterBank, { input, start, part }: Place, made: number): Place {
  const moved = part + made * down;
  const whole = Math.floor(moved / up);
  return { input, start: start + whole, part: moved - whole * up };
}

function runOnce(
  { run, floats, bank, inputLength, outStart, bankStart }: Layout & { run: Run },
  place: Place,
  out: Float32Array,
): void {
  const { up, down, phases, rowLength } = bank;
  const { input, start, part } = place;
  const needed = inputsOf(bank, out.length);
  const inputs = input.subarray(start, start + needed);
  floats.set(inputs);
  floats.fill(0, inputs.length, Math.min(inputLength, needed));
  const outEnd = outStart + out.length;
  const step = Math.floor(down / up);
  run(0, bankStart * 4, outStart * 4, outEnd * 4, part, up, step * 4, down % up, rowLength * 4, phases / up);
  out.set(floats.subarray(outStart, outEnd));
}

/** How many inputs that many outputs read. */
const inputsOf = ({ up, down, rowLength }: FilterBank, outputs: number): number =>
  Math.ceil((outputs * down) / up) + 1 + rowLength;

/** Copies the coefficients of a bank into the memory when it is first used, and makes room. */
function openLayout(memory: WebAssembly.Memory): (bank: FilterBank) => Layout {
  const starts = new Map<FilterBank, number>();
  let inputLength = 0;
  let end = 0; // of what is in use, in floats

  function place(bank: FilterBank): void {
    const inputs = inputsOf(bank, OUTPUTS);
    if (inputs > inputLength || (end + bank.taps.length) * 4 > BANKS_MAX_BYTES) {
      starts.clear();
      inputLength = Math.max(inputLength, Math.ceil(inputs / TOGETHER) * TOGETHER);
      end = inputLength + OUTPUTS;
    }
    const missing = (end + bank.taps.length) * 4 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    new Float32Array(memory.buffer).set(bank.taps, end);
    starts.set(bank, end);
    end += bank.taps.length;
  }

  let floats = new Float32Array(memory.buffer);
  return (bank) => {
    if (!starts.has(bank)) {
      place(bank);
      floats = new Float32Array(memory.buffer);
    }
    return { floats, bank, inputLength, outStart: inputLength, bankStart: starts.get(bank)! };
  };
}
