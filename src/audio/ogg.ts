/**
 * The Ogg container (RFC 3533): packets into pages, each with its checksum and granule position.
 *
 * One packet is held back, because the last page of a stream says that it is the last.
 */
const SERIAL = 0x4c_6f_71_75;
const SEGMENT = 255;
const FIRST_PAGE = 0x02;
const LAST_PAGE = 0x04;

export class OggWriter {
  #packets: Uint8Array[] = [];
  #granule = 0n;
  #sequence = 0;

  constructor(readonly packetsPerPage: number) {}

  /** Its own page, as the header packets must have. */
  header(packet: Uint8Array): Uint8Array {
    return this.#page([packet], 0n, this.#sequence === 0 ? FIRST_PAGE : 0);
  }

  /** Adds a packet that ends at `granule`; answers the page that it completes, if any. */
  packet(packet: Uint8Array, granule: bigint): Uint8Array | null {
    const full = this.#packets.length === this.packetsPerPage ? this.#flush(0, this.#granule) : null;
    this.#packets.push(packet);
    this.#granule = granule;
    return full;
  }

  /** The last page; `granule` is where the stream really ends, inside its last packet. */
  finish(granule: bigint): Uint8Array {
    return this.#flush(LAST_PAGE, granule);
  }

  #flush(flags: number, granule: bigint): Uint8Array {
    const page = this.#page(this.#packets, granule, flags);
    this.#packets = [];
    return page;
  }

  #page(packets: Uint8Array[], granule: bigint, flags: number): Uint8Array {
    const lacing = packets.flatMap(({ length }) => [
      ...Array<number>(Math.floor(length / SEGMENT)).fill(SEGMENT),
      length % SEGMENT,
    ]);
    const page = Buffer.alloc(27 + lacing.length + packets.reduce((sum, { length }) => sum + length, 0));
    page.write("OggS", 0, "latin1");
    page[5] = flags;
    page.writeBigUInt64LE(granule, 6);
    page.writeUInt32LE(SERIAL, 14);
    page.writeUInt32LE(this.#sequence++, 18);
    page[26] = lacing.length;
    page.set(lacing, 27);
    let offset = 27 + lacing.length;
    for (const packet of packets) {
      page.set(packet, offset);
      offset += packet.length;
    }
    page.writeUInt32LE(oggChecksum(page), 22);
    return page;
  }
}

/** CRC-32 of polynomial 0x04c11db7, most significant bit first, no inversion. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** Of a page whose checksum is zero. */
export function oggChecksum(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = (value << 8) ^ TABLE[((value >>> 24) ^ byte) & 0xff]!;
  return value >>> 0;
}
