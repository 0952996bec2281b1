/**
 * Where the servers of an upstream are: its URLs, with every address that their names have at this time.
 *
 *   http://10.0.0.5:8000            one server
 *   http://tts.internal:8000        one for each A record; where there is none, for each AAAA record
 *   srv+http://_tts._tcp.internal   one for each address of each SRV record
 */
import { lookup, resolveSrv } from "node:dns/promises";
import { isIP } from "node:net";

/** `base`: what paths are appended to. `host`: the name that its certificate and virtual host have; null: that of `base`. */
export type Address = { key: string; base: string; host: string | null };

const SRV = "srv+";

/** Whether it can be resolved: HTTP or HTTPS, without a password, a query or a fragment. */
export function isUpstreamUrl(text: string): boolean {
  const url = URL.parse(text.startsWith(SRV) ? text.slice(SRV.length) : text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** What looks names up. */
export type Names = {
  addresses(name: string): Promise<{ address: string; family: number }[]>;
  services(name: string): Promise<{ name: string; port: number }[]>;
};

const SYSTEM: Names = { addresses: (name) => lookup(name, { all: true }), services: resolveSrv };

/** Throws where no name resolves. Each address once. */
export async function resolveAll(urls: readonly string[], names: Names = SYSTEM): Promise<Address[]> {
  const results = await Promise.allSettled(urls.map((url) => resolveUrl(url, names)));
  const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const failed = results.find((result) => result.status === "rejected");
  if (found.length === 0 && failed) throw failed.reason;
  return [...new Map(found.map((address) => [address.key, address])).values()];
}

async function resolveUrl(text: string, names: Names): Promise<Address[]> {
  if (!text.startsWith(SRV)) return resolveName(new URL(text), names);
  const url = new URL(text.slice(SRV.length));
  const records = await names.services(url.hostname);
  const all = records.map(({ name, port }) => {
    const target = new URL(url);
    target.hostname = name;
    target.port = String(port);
    return resolveName(target, names);
  });
  return (await Promise.all(all)).flat();
}

async function resolveName(url: URL, names: Names): Promise<Address[]> {
  const base = url.href.replace(/(?<!\/)\/+$/, "");
  const name = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) !== 0) return [{ key: base, base, host: null }];
  const all = await names.addresses(name);
  const found = all.some(isIpv4) ? all.filter(isIpv4) : all; // a server often has both, and is one
  return found.map(({ address, family }) => {
    const at = new URL(url);
    at.hostname = family === 6 ? `[${address}]` : address;
    const base = at.href.replace(/(?<!\/)\/+$/, "");
    return { key: `${base} ${url.host}`, base, host: url.host };
  });
}

const isIpv4 = ({ family }: { family: number }) => family === 4;
