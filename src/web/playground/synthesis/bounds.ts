/** How much a browser keeps of what was spoken. Pure. */

export type Kept = { id: string; createdAt: number; file: Blob };

type Bounds = { countMax: number; bytesMax: number };

/** The ids of what does not fit, given the newest first; the newest stays whatever its size. */
export function surplus(items: readonly Kept[], { countMax, bytesMax }: Bounds): string[] {
  let bytes = 0;
  return items.flatMap(({ id, file }, index) => {
    bytes += file.size;
    return index > 0 && (index >= countMax || bytes > bytesMax) ? [id] : [];
  });
}
