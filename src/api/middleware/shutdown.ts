/** The stages in which a server ends, as signals in this order. */
export type Shutdown = {
  /** Not ready any more, and every response asks its client to connect anew. New requests are still answered. */
  draining: AbortSignal;
  /** No new connections; live sessions commit their open turn, and end when it was sent. */
  closing: AbortSignal;
  /** What is still under way ends now. The reason is the refusal that its clients get. */
  cut: AbortSignal;
};

/** The stages of a server that does not end, but for those that are given. */
export const neverShutDown = (stages: Partial<Shutdown> = {}): Shutdown => {
  const { signal } = new AbortController();
  return { draining: signal, closing: signal, cut: signal, ...stages };
};
