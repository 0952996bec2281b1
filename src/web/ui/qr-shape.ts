/** The dark modules of a QR code as one shape of SVG, with a light edge around them. */
import { encode } from "uqr";

/** `size`: of a side, in modules. */
export function qrShape(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  return { size, path: data.map(rowPath).join("") };
}

/** A square for each dark module. */
const rowPath = (row: readonly boolean[], y: number): string =>
  row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("");
