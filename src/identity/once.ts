/** What is made on first use, and again after a failure. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null; // what it needs was unavailable; it may be back at the next call
      throw error;
    });
    return made;
  };
}
