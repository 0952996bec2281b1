/** Promise: addresses that never answer hold up no request, and certificates are checked against the name all the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "selfsigned";
import { type Address, type Network, openFetch } from "../../../src/models/pull/connect.ts";

const HANGING: Address = { address: "2001:db8::1", family: 6 };
const HERE: Address = { address: "127.0.0.1", family: 4 };
const NAME = "hub.test";

let ca: string;
let server: Bun.Server<undefined>;
beforeAll(async () => {
  const made = await generate([{ name: "commonName", value: NAME }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: NAME }] }],
  });
  ca = made.cert;
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: made.cert, key: made.private },
    fetch: ({ headers }) => new Response(headers.get("host")),
  });
});
afterAll(() => server.stop(true));

/** Here an address that hangs ends only with the race. */
function networkOf(addresses: Address[], asked: string[] = []): Network {
  return {
    lookup: async (host) => {
      asked.push(host);
      return addresses;
    },
    connect: ({ address }, _port, signal) =>
      address === HANGING.address
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        : Promise.resolve(),
  };
}

describe("a name with an IPv6 address that hangs", () => {
  test("is requested by its IPv4 address, under its own name", async () => {
    const asked: string[] = [];
    const request = openFetch(networkOf([HANGING, HERE], asked));
    for (let times = 0; times < 2; times++) {
      const response = await request(`https://${NAME}:${server.port}/`, { tls: { ca } });
      expect(await response.text()).toBe(`${NAME}:${server.port}`);
    }
    expect(asked).toEqual([NAME]);
  });

  test("is refused where the certificate is of another name", async () => {
    const request = openFetch(networkOf([HANGING, HERE]));
    expect(request(`https://other.test:${server.port}/`, { tls: { ca } })).rejects.toThrow("ALTNAME");
  });

  test("is left to fetch where no address answers", async () => {
    const network = networkOf([HANGING, HERE]);
    const request = openFetch({ ...network, connect: () => Promise.reject(new Error("refused")) });
    expect(request("http://name.invalid/", {})).rejects.toThrow();
  });
});

test("a name with addresses of one kind is left to fetch", async () => {
  const connected: string[] = [];
  const network = networkOf([HERE, { ...HERE, address: "127.0.0.2" }]);
  const request = openFetch({
    ...network,
    connect: async ({ address }) => void connected.push(address),
  });
  const plain = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
  expect(await (await request(`http://localhost:${plain.port}/`, {})).text()).toBe("here");
  expect(connected).toEqual([]);
  await plain.stop(true);
});

/** Its own network, whose IPv6 addresses accept packets and never answer. */
const NAMESPACE = `set -e
ip link set lo up
ip link add in type veth peer name out && ip link set in up && ip link set out up
ip -6 addr add 2001:db8::ffff/64 dev in nodad
ip -6 neigh add 2001:db8::1 lladdr 02:00:00:00:00:99 dev in nud permanent
mount --bind "$HOSTS" /etc/hosts
exec "$@"`;
const CONNECT = fileURLToPath(new URL("../../../src/models/pull/connect.ts", import.meta.url));
const CLIENT = `import { openFetch } from ${JSON.stringify(CONNECT)};
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("over IPv4") });
const url = "http://${NAME}:" + server.port + "/";
const fetchOf = { own: openFetch(), bun: fetch }[process.argv[2]];
const response = await fetchOf(url, { signal: AbortSignal.timeout(2500) }).then((r) => r.text(), (e) => e.name);
console.log(response);
process.exit();`;

const unshared = (command: string[], environment: Record<string, string> = {}) =>
  Bun.spawnSync(["unshare", "--map-root-user", "--net", "--mount", ...command], {
    env: { ...Bun.env, ...environment },
  });
const canUnshare =
  Bun.which("unshare") !== null &&
  Bun.which("ip") !== null &&
  isReady(["bash", "-c", NAMESPACE, "-", "true"]);

function isReady(command: string[]): boolean {
  return unshared(command, { HOSTS: "/etc/hosts" }).exitCode === 0;
}

describe.skipIf(!canUnshare)(
  `in a network that drops IPv6${canUnshare ? "" : " (skipped: no network namespaces here)"}`,
  () => {
    test.each([
      ["a request arrives over IPv4", "own", "over IPv4"],
      ["Bun's own fetch does not", "bun", "TimeoutError"],
    ])("%s", (_name, which, expected) => {
      const folder = mkdtempSync(join(tmpdir(), "loquat-connect-"));
      const hosts = join(folder, "hosts");
      writeFileSync(hosts, `${readFileSync("/etc/hosts", "utf8")}\n2001:db8::1 ${NAME}\n127.0.0.1 ${NAME}\n`);
      writeFileSync(join(folder, "client.ts"), CLIENT);
      const ran = unshared(
        ["bash", "-c", NAMESPACE, "-", process.execPath, join(folder, "client.ts"), which],
        { HOSTS: hosts },
      );
      rmSync(folder, { recursive: true, force: true });
      expect(ran.stdout.toString().trim()).toBe(expected);
    });
  },
);
