/**
 * A `fetch` that is not held up by addresses that never answer.
 *
 * Bun's fetch waits for a name's first addresses. Where a network announces IPv6 and drops its packets, it waits forever,
 * although the name has IPv4 addresses too. So the addresses of a name with both are tried in turn, a new one every
 * 250 ms (RFC 8305). Where the first to answer is of the other kind than Bun would take, requests go to it by number.
 */
import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Address = { address: string; family: number };

/** `connect` resolves when the address accepts a connection, and rejects where it refuses, or when aborted. */
export type Network = {
  lookup: (host: string) => Promise<Address[]>;
  connect: (address: Address, port: number, signal: AbortSignal) => Promise<void>;
};

const STAGGER_MS = 250;
const CONNECT_MS = 5000;

const SYSTEM: Network = {
  lookup: (host) => lookup(host, { all: true, order: "verbatim" }),
  connect: ({ address }, port, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: address, port });
      const end = (settle: () => void) => {
        socket.destroy();
        settle();
      };
      socket.once("connect", () => end(resolve));
      socket.once("error", (error) => end(() => reject(error)));
      signal.addEventListener("abort", () => end(() => reject(signal.reason)), { once: true });
    }),
};

/** It chooses once for each host: open another for another pull. */
export function openFetch(network: Network = SYSTEM) {
  const chosen = new Map<string, Promise<string | null>>();
  return async (url: string, init: BunFetchRequestInit): Promise<Response> => {
    const { host, hostname } = new URL(url);
    if (!chosen.has(host)) chosen.set(host, chooseAddress(new URL(url), network));
    const address = await chosen.get(host)!;
    if (address === null) return fetch(url, init);
    const direct = new URL(url);
    direct.hostname = address;
    const headers = new Headers(init.headers);
    headers.set("host", host);
    return fetch(direct.href, { ...init, headers, tls: { ...init.tls, serverName: hostname } });
  };
}

/** Null: the name is left to `fetch`, and with it what a proxy has to resolve. */
async function chooseAddress({ hostname, protocol, port }: URL, network: Network): Promise<string | null> {
  if (isIP(hostname.replace(/^\[|\]$/g, ""))) return null;
  const addresses = await network.lookup(hostname).catch(() => []);
  const [first] = addresses;
  if (addresses.every(({ family }) => family === first?.family)) return null;
  const to = Number(port) || (protocol === "https:" ? 443 : 80);
  const fastest = await race(interleave(addresses), (address, signal) =>
    network.connect(address, to, signal),
  );
  return fastest === null || fastest.family === first!.family ? null : urlForm(fastest);
}

const urlForm = ({ address, family }: Address) => (family === 6 ? `[${address}]` : address);

/** Families alternate, beginning with that of the first. */
function interleave(addresses: Address[]): Address[] {
  const preferred = addresses.filter(({ family }) => family === addresses[0]!.family);
  const other = addresses.filter(({ family }) => family !== addresses[0]!.family);
  return Array.from({ length: Math.max(preferred.length, other.length) }, (_, index) => [
    preferred[index],
    other[index],
  ])
    .flat()
    .filter((address) => address !== undefined);
}

/** The first that answers; null where none does in time. */
async function race(
  addresses: Address[],
  attempt: (address: Address, signal: AbortSignal) => Promise<void>,
): Promise<Address | null> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(CONNECT_MS)]);
  const attempts = addresses.map(async (address, index) => {
    await sleep(index * STAGGER_MS, undefined, { signal });
    await attempt(address, signal);
    return address;
  });
  try {
    return await Promise.any(attempts);
  } catch {
    return null;
  } finally {
    done.abort();
  }
}
