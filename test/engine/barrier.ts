/** A worker whose tasks end when so many of them are there at once. */
let here = 0;
const { promise: complete, resolve } = Promise.withResolvers<void>();

export default async function meet({ of }: { of: number }): Promise<number> {
  if (++here === of) resolve();
  await complete;
  return here;
}
