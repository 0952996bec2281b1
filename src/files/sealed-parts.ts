/**
 * Parts of files as they are stored: cut into pieces of two megabytes, each encrypted for its place, so that neither
 * writing nor reading holds more than a piece.
 *
 *   part_… │ piece 0, 2 MiB │ piece 1, 2 MiB │ … │ the rest │      each an object of the storage: part_…/0, part_…/1, …
 */
import type { Encryption } from "../db/encryption.ts";
import type { FileStorage } from "./file-storage.ts";

const PIECE_BYTES = 2 * 1024 * 1024;

/** `bytes`: as many as it has, or more, where it is removed. */
type StoredPart = { id: string; bytes: number };

export type SealedParts = {
  writer(id: string): PartWriter;
  /** In pieces, without the first bytes. Throws where the storage does not have what was written. */
  read(part: StoredPart, skipBytes?: number): AsyncGenerator<Uint8Array>;
  remove(part: StoredPart): Promise<void>;
};

type PartWriter = {
  write(bytes: Uint8Array): Promise<void>;
  /** All of it is durable when this resolves. */
  end(): Promise<void>;
};

const nameOf = (id: string, piece: number) => `${id}/${piece}`;

/** The object that each part has. */
export const firstPieceOf = (id: string): string => nameOf(id, 0);

export function openSealedParts(storage: FileStorage, encryption: Encryption): SealedParts {
  async function put(name: string, bytes: Uint8Array): Promise<void> {
    await storage.put(name, await encryption.encrypt(name, bytes));
  }

  async function get(name: string, sizeBytes: number): Promise<Uint8Array> {
    const sealed = await storage.get(name);
    const bytes = sealed && (await encryption.decrypt(name, Buffer.from(sealed)));
    if (bytes?.length === sizeBytes) return bytes;
    throw new Error(`${name} of ${storage.place} is ${sealed ? "not as it was written" : "missing"}`);
  }

  return {
    writer(id) {
      const room = Buffer.allocUnsafeSlow(PIECE_BYTES);
      let held = 0;
      let pieces = 0;
      const putHeld = async () => {
        await put(nameOf(id, pieces++), room.subarray(0, held));
        held = 0;
      };
      return {
        async write(bytes) {
          for (let rest = bytes; rest.length > 0; ) {
            const taken = rest.subarray(0, PIECE_BYTES - held);
            room.set(taken, held);
            held += taken.length;
            rest = rest.subarray(taken.length);
            if (held === PIECE_BYTES) await putHeld();
          }
        },
        end: async () => void (held > 0 && (await putHeld())),
      };
    },
    async *read({ id, bytes }, skipBytes = 0) {
      for (let offset = skipBytes - (skipBytes % PIECE_BYTES); offset < bytes; offset += PIECE_BYTES) {
        const piece = await get(nameOf(id, offset / PIECE_BYTES), Math.min(PIECE_BYTES, bytes - offset));
        yield offset < skipBytes ? piece.subarray(skipBytes - offset) : piece;
      }
    },
    async remove({ id, bytes }) {
      for (let piece = 0; piece * PIECE_BYTES < bytes; piece++) await storage.remove(nameOf(id, piece));
    },
  };
}
