/** Responses that take the same time whether or not an account exists. */
const RESPONSE_MS = 500; // longer than hashing a password takes

export async function constantTime<T>(work: Promise<T>): Promise<T> {
  const [done] = await Promise.allSettled([work, new Promise((resolve) => setTimeout(resolve, RESPONSE_MS))]);
  if (done.status === "rejected") throw done.reason;
  return done.value;
}
