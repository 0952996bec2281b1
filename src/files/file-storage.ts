/** Where contents of files lie: objects of a few megabytes, encrypted before they come here, in a folder or in a bucket. */

/** Objects are durable when `put` resolves. */
export type FileStorage = {
  /** As operators know it. */
  place: string;
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null where there is none. */
  get(name: string): Promise<Uint8Array | null>;
  /** One that does not exist is removed already. */
  remove(name: string): Promise<void>;
  /** Whether nothing is there, so that this installation may begin to use it. */
  isEmpty(): Promise<boolean>;
  /** Whether so many bytes more leave a tenth of the disk free. */
  hasRoom(bytes: number): boolean;
};

const MARKER = "loquat-installation";

/** Whose storage it is. `unmarked`: nothing is there yet. */
export type Belonging = "ours" | "another" | "unmarked" | "foreign";

export async function belongingOf(storage: FileStorage, installation: string): Promise<Belonging> {
  const marker = await storage.get(MARKER);
  if (marker !== null) return Buffer.from(marker).toString() === installation ? "ours" : "another";
  return (await storage.isEmpty()) ? "unmarked" : "foreign";
}

/** What is wrong with a storage, in a sentence. */
export const BELONGING_FAULTS = {
  another: "it holds the files of another installation",
  foreign: "it is not empty, and is not marked as storage of Loquat",
} as const satisfies Partial<Record<Belonging, string>>;

/** Marks an empty storage as this installation's. Throws where it is not. */
export async function takeStorage(storage: FileStorage, installation: string): Promise<void> {
  const belonging = await belongingOf(storage, installation);
  if (belonging === "ours") return;
  if (belonging === "unmarked") return storage.put(MARKER, Buffer.from(installation));
  throw new Error(`LOQUAT_FILES: ${storage.place} cannot be used: ${BELONGING_FAULTS[belonging]}`);
}
