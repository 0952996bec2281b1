/**
 * Plain data with samples in it, as JSON and bytes: a task or a result on its way to another machine.
 *
 *   { id: 3, samples: Float32Array(512) }  <──>  { id: 3, samples: null }, [["samples"], 512], 2048 bytes
 *
 * Bytes are little-endian, as on every platform that Loquat runs on.
 */
import type { WireData } from "./messages.ts";

type Path = (string | number)[];
type Container = Record<string | number, unknown>;

export type Encoded = { data: WireData; parts: Uint8Array[] };

/** The parts are views of the samples, not copies. */
export function encodeData(value: unknown): Encoded {
  const samples: WireData["samples"] = [];
  const parts: Uint8Array[] = [];
  const without = (each: unknown, path: Path): unknown => {
    if (each instanceof Float32Array) {
      samples.push({ path, length: each.length });
      parts.push(new Uint8Array(each.buffer as ArrayBuffer, each.byteOffset, each.byteLength));
      return null;
    }
    if (Array.isArray(each)) return each.map((item, index) => without(item, [...path, index]));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, item]) => [key, without(item, [...path, key])]),
    );
  };
  return { data: { value: without(value, []), samples }, parts };
}

/** Null where the samples do not belong to the value. `bytes` holds all of them, one after the other. */
export function decodeData({ value, samples }: WireData, bytes: Uint8Array): { value: unknown } | null {
  const root: Container = { value };
  let offset = 0;
  for (const { path, length } of samples) {
    const end = offset + length * Float32Array.BYTES_PER_ELEMENT;
    const at = [["value", ...path].slice(0, -1), ["value", ...path].at(-1)!] as const;
    const holder = at[0].reduce<unknown>(childOf, root);
    if (childOf(holder, at[1]) !== null || end > bytes.length) return null;
    (holder as Container)[at[1]] = samplesOf(bytes, offset, end);
    offset = end;
  }
  return offset === bytes.length ? { value: root.value } : null;
}

const childOf = (holder: unknown, key: string | number): unknown =>
  typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Container)[key]
    : undefined;

/** A buffer of its own, because it may move to a thread; the bytes themselves where they are nothing else. */
function samplesOf(bytes: Uint8Array, offset: number, end: number): Float32Array {
  const isAll = end - offset === bytes.buffer.byteLength && bytes.byteOffset === 0;
  const { buffer } = isAll ? bytes : bytes.slice(offset, end);
  return new Float32Array(buffer as ArrayBuffer);
}
