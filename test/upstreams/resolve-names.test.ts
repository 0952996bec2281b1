/** Promise: an upstream has a server for each address that its names have, SRV records included, and each once. */
import { expect, test } from "bun:test";
import { type Names, resolveAll } from "../../src/upstreams/transport/resolve-names.ts";

const RECORDS: Record<string, string[]> = {
  "tts.internal": ["10.0.0.5", "10.0.0.6", "fd00::5"],
  "six.internal": ["fd00::7"],
  "gpu1.internal": ["10.0.1.1"],
  "gpu2.internal": ["10.0.1.2", "10.0.1.3"],
};
const SERVICES: Record<string, { name: string; port: number }[]> = {
  "_tts._tcp.internal": [
    { name: "gpu1.internal", port: 8001 },
    { name: "gpu2.internal", port: 8002 },
  ],
  "_lost._tcp.internal": [{ name: "nowhere.internal", port: 1 }],
};
const found = <T>(records: Record<string, T[]>, name: string): T[] => {
  const all = records[name];
  if (!all) throw new Error(`ENOTFOUND ${name}`);
  return all;
};
const names: Names = {
  addresses: async (name) =>
    found(RECORDS, name).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  services: async (name) => found(SERVICES, name),
};
const basesOf = async (...urls: string[]) => (await resolveAll(urls, names)).map(({ base }) => base);

test.each<[what: string, urls: string[], bases: string[]]>([
  ["an address is one server", ["http://10.0.0.5:8000/"], ["http://10.0.0.5:8000"]],
  [
    "a name is a server for each address of IPv4",
    ["http://tts.internal:8000/v2/"],
    ["http://10.0.0.5:8000/v2", "http://10.0.0.6:8000/v2"],
  ],
  ["a name without one has those of IPv6", ["https://six.internal"], ["https://[fd00::7]"]],
  [
    "SRV records name hosts and ports, and each address of a host is a server",
    ["srv+http://_tts._tcp.internal/api"],
    ["http://10.0.1.1:8001/api", "http://10.0.1.2:8002/api", "http://10.0.1.3:8002/api"],
  ],
  ["the same address is one server", ["http://10.0.0.5", "http://10.0.0.5/"], ["http://10.0.0.5"]],
  [
    "a name that is unknown takes nothing from others",
    ["http://nowhere", "http://10.0.0.5"],
    ["http://10.0.0.5"],
  ],
])("%s", async (_what, urls, bases) => {
  expect(await basesOf(...urls)).toEqual(bases);
});

test("a server keeps the name that its certificate has, also of an SRV record", async () => {
  const [one] = await resolveAll(["srv+https://_tts._tcp.internal"], names);
  expect(one).toMatchObject({ base: "https://10.0.1.1:8001", host: "gpu1.internal:8001" });
});

test.each(["http://nowhere", "srv+http://_none._tcp.internal", "srv+http://_lost._tcp.internal"])(
  "where nothing resolves the reason is told: %s",
  async (url) => {
    await expect(resolveAll([url], names)).rejects.toThrow("ENOTFOUND");
  },
);
