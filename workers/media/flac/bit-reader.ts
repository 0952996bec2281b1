/** Reads numbers of any width from bytes, the most significant bit first. Beyond the last byte everything throws. */
export class BitReader {
  #position = 0; // in bits

  constructor(readonly bytes: Uint8Array) {}

  /** Of whole bytes: rounded up. */
  get bytesRead(): number {
    return (this.#position + 7) >> 3;
  }

  /** @param width at most 32 */
  unsigned(width: number): number {
    if (width === 0) return 0;
    const value = this.#next32() >>> (32 - width);
    this.#skip(width);
    return value;
  }

  /** Two's complement. @param width at most 33 */
  signed(width: number): number {
    if (width <= 32) return width === 0 ? 0 : this.unsigned(width) - (this.#last(width) ? 2 ** width : 0);
    const sign = this.unsigned(1);
    return this.unsigned(32) - sign * 2 ** 32;
  }

  /** The number of zeros before the next one. */
  unary(): number {
    for (let count = 0; ; count += 32) {
      const zeros = Math.clz32(this.#next32());
      this.#skip(zeros === 32 ? 32 : zeros + 1);
      if (zeros < 32) return count + zeros;
    }
  }

  align(): void {
    this.#position = (this.#position + 7) & ~7;
  }

  /** Whether the first of the bits that were read last is set. */
  #last(width: number): boolean {
    const position = this.#position - width;
    return ((this.bytes[position >> 3]! >> (7 - (position & 7))) & 1) === 1;
  }

  #skip(width: number): void {
    this.#position += width;
    if (this.#position > this.bytes.length * 8) throw new RangeError("the bytes end inside a number");
  }

  /** The next 32 bits, with zeros beyond the end. */
  #next32(): number {
    const { bytes } = this;
    const index = this.#position >> 3;
    const shift = this.#position & 7;
    const word =
      (bytes[index]! << 24) | (bytes[index + 1]! << 16) | (bytes[index + 2]! << 8) | bytes[index + 3]!;
    return shift === 0 ? word >>> 0 : ((word << shift) | (bytes[index + 4]! >> (8 - shift))) >>> 0;
  }
}
