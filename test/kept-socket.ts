/** A socket that keeps the JSON messages that it is told. */

export type Closed = { code: number; reason: string };

/** Resolves once it is open; rejects where the upgrade is refused. */
export async function openKeptSocket<Message>(
  address: string,
  { headers, protocols }: { headers: Record<string, string>; protocols?: string[] | undefined },
) {
  const options = { headers, ...(protocols ? { protocols } : {}) };
  const socket = new WebSocket(address.replace("http", "ws"), options as never);
  const messages: Message[] = [];
  let wake = () => {};
  const closed = Promise.withResolvers<Closed>();
  socket.onmessage = ({ data }) => {
    messages.push(JSON.parse(data as string));
    wake();
  };
  socket.onclose = ({ code, reason }) => {
    closed.resolve({ code, reason });
    wake();
  };
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("the upgrade failed"));
  });
  return {
    socket,
    messages,
    closed: closed.promise,
    /** What `look` finds in the messages; fails where the socket closes before it, with what `wanted` says. */
    async until<T>(look: () => T | undefined, wanted: () => string): Promise<T> {
      for (;;) {
        const match = look();
        if (match !== undefined) return match;
        if (socket.readyState === WebSocket.CLOSED) throw new Error(`closed before ${wanted()}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
