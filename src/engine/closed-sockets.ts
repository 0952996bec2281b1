/**
 * Ends the connections of WebSockets that this server has closed: the runtime itself reads on for 16 seconds where the
 * client goes on sending, and offers no call that ends it. On Linux only; elsewhere those seconds remain.
 *
 *   closed ──close frame, FIN──> client ends it (as clients do) | `LINGER_MS` later: it is shut down
 */
import { readdirSync } from "node:fs";
import { type Libc, openLibc } from "../natives/libc.ts";

/** How long a client may take to read the close frame and to end the connection. */
const LINGER_MS = 1000;
const SEARCH_MS = 500;
const DESCRIPTORS = "/proc/self/fd";

const SHUT_RDWR = 2;
const AF_INET = 2;
const AF_INET6 = 10;
const ADDRESS_BYTES = 128; // sockaddr_storage

/** One connection: the client's address and port, and the port of this server. */
export type Endpoints = { address: string; port: number; localPort: number };

type Server = {
  requestIP(request: Request): { address: string; port: number } | null;
  port?: number | undefined;
};

export type ClosedSockets = { end(connection: Endpoints | null): void };

/** Null where the system no longer knows the client's address, or the server has no port. */
export function endpointsOf(request: Request, server: Server): Endpoints | null {
  const peer = server.requestIP(request);
  return peer === null || server.port === undefined
    ? null
    : { address: peer.address, port: peer.port, localPort: server.port };
}

/** However many sockets close, the descriptors are searched at most twice a second. */
export function openClosedSockets(libc: Libc | null = openLibc()): ClosedSockets {
  const waiting = new Map<string, number>();
  let timer: Timer | null = null;
  const search = () => {
    const now = performance.now();
    const due = [...waiting].flatMap(([key, dueMs]) => (dueMs <= now ? [key] : []));
    const descriptors = libc !== null && due.length > 0 ? openDescriptors() : null; // null: they are searched later
    if (libc !== null && descriptors !== null) {
      for (const key of due) waiting.delete(key);
      shutDown(libc, descriptors, new Set(due));
    }
    timer = waiting.size > 0 ? setTimeout(search, SEARCH_MS).unref() : null;
  };
  return {
    end(connection) {
      if (libc === null || connection === null) return;
      waiting.set(keyOf(connection), performance.now() + LINGER_MS);
      if (timer === null) timer = setTimeout(search, SEARCH_MS).unref();
    },
  };
}

/** Null where they cannot be listed, as long as none is left for the list. */
function openDescriptors(): number[] | null {
  try {
    return readdirSync(DESCRIPTORS).map(Number);
  } catch {
    return null;
  }
}

function shutDown(libc: Libc, descriptors: readonly number[], closed: ReadonlySet<string>): void {
  for (const descriptor of descriptors) {
    const peer = endOf(libc.getpeername, descriptor);
    const local = peer && endOf(libc.getsockname, descriptor);
    if (local && closed.has(keyOf({ ...peer, localPort: local.port }))) libc.shutdown(descriptor, SHUT_RDWR);
  }
}

/** One spelling for each address: IPv4 as IPv6, compressed as URLs have it. */
function keyOf({ address, port, localPort }: Endpoints): string {
  const host = address.includes(":") ? address.split("%")[0]! : `::ffff:${address}`;
  return `${new URL(`http://[${host}]`).hostname} ${port} ${localPort}`;
}

/** An end of the connection of a descriptor; null where it is no connection over IP. */
function endOf(
  call: Libc["getpeername" | "getsockname"],
  descriptor: number,
): { address: string; port: number } | null {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  if (call(descriptor, bytes, new Uint32Array([ADDRESS_BYTES])) !== 0) return null;
  const view = new DataView(bytes.buffer);
  const family = view.getUint16(0, true);
  const port = view.getUint16(2);
  if (family === AF_INET) return { address: bytes.subarray(4, 8).join("."), port };
  if (family !== AF_INET6) return null;
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + 2 * index).toString(16));
  return { address: groups.join(":"), port };
}
