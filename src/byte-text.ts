/** Numbers of bytes as text, alike on the command line and in the pages. Pure. */

type ByteUnit = "kilobyte" | "megabyte" | "gigabyte";

const SYMBOLS: Record<ByteUnit, string> = { kilobyte: "kB", megabyte: "MB", gigabyte: "GB" };

/** 840 kB, 2.4 MB, 163 MB, 1.1 GB: decimal units, as hubs and disks count. */
export function byteText(bytes: number): string {
  const { value, unit } = byteAmount(bytes);
  return `${value} ${SYMBOLS[unit]}`;
}

/** With a decimal below ten, rounded up. */
export function byteAmount(bytes: number): { value: number; unit: ByteUnit } {
  if (bytes < 999_500) return { value: rounded(bytes / 1e3), unit: "kilobyte" };
  if (bytes < 999.5e6) return { value: rounded(bytes / 1e6), unit: "megabyte" };
  return { value: rounded(bytes / 1e9), unit: "gigabyte" };
}

const rounded = (value: number) => (value < 10 ? Math.ceil(value * 10) / 10 : Math.round(value));
