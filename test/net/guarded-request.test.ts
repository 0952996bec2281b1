/** Promise: an address that a user names is asked only where it is public, or the operator opens it, whatever its name says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createConnection, createServer, type Server } from "node:net";
import { checkedUrl, type Guard, guardedRequest, openGuard } from "../../src/net/guarded-request.ts";
import { listOf, reachOf } from "../../src/net/public-address.ts";
import { newPrivateKey, selfSigned } from "../../src/tls/certificate.ts";

const CLOSED = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 169.254.0.1 169.254.169.254
  172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16
  :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:2::1
  2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1`;
const PUBLIC = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.0.0.1 172.15.0.1 172.32.0.1 192.167.1.1
  193.0.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2600:: 2606:4700:4700::1111 2a00:1450::1 2400:cb00::1`;
const each = (text: string) => text.trim().split(/\s+/);

describe("the reach of addresses", () => {
  const nothing = listOf([]);
  test.each(each(CLOSED))("%s is closed", (address) => expect(reachOf(address, nothing)).toBe("closed"));
  test.each(each(PUBLIC))("%s is public", (address) => expect(reachOf(address, nothing)).toBe("public"));

  test("the operator opens networks, but never where clouds tell credentials", () => {
    const open = listOf(["0.0.0.0/0", "::/0"]);
    for (const address of ["127.0.0.1", "192.168.1.2", "8.8.8.8", "::1", "fd12::1"])
      expect(reachOf(address, open)).toBe("open");
    for (const address of ["169.254.169.254", "fd00:ec2::254", "168.63.129.16", "::ffff:10.0.0.1"])
      expect(reachOf(address, open)).toBe("closed");
  });
});

const NAME = "files.example.com";
const PUBLIC_ADDRESS = "93.184.216.34";
const key = newPrivateKey();
const lasting = { from: new Date(Date.now() - 86_400_000), until: new Date(Date.now() + 86_400_000) };
const certificate = selfSigned(key, { commonName: NAME, names: [NAME], ...lasting });

let server: ReturnType<typeof Bun.serve>;
const asked: { host: string | null; path: string; method: string; body: string }[] = [];
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    tls: { key, cert: certificate },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { method, headers } = request;
      asked.push({ host: headers.get("host"), path: pathname, method, body: await request.text() });
      if (pathname === "/moved") return new Response(null, { status: 302, headers: { location: "/" } });
      return new Response("recording");
    },
  });
});
afterAll(() => server.stop(true));

/** Its names have these addresses; a connection to any address reaches the server of the test. */
const guardOf = (addresses: string[] | (() => string[]), networks: string[] = []): Guard => ({
  ...openGuard({ networks }),
  resolve: async () => (Array.isArray(addresses) ? addresses : addresses()),
  connect: () => ({ address: "127.0.0.1", port: server.port! }),
  trusted: certificate,
});

/** What it fails with. */
const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

type Options = { method?: "GET" | "POST"; body?: string; totalMs?: number; signal?: AbortSignal };

const request = (guard: Guard, address: string, options: Options = {}) =>
  guardedRequest(guard, checkedUrl(address, "url"), {
    ...{ method: "GET", totalMs: 20_000, signal: new AbortController().signal, param: "url" },
    ...options,
  });

const textOf = async (answer: Awaited<ReturnType<typeof request>>) =>
  Buffer.concat(await Array.fromAsync(answer.chunks())).toString();

test("a public address is asked by its name, and its certificate is checked against it", async () => {
  const answer = await request(guardOf([PUBLIC_ADDRESS, "2606:4700::1"]), `https://${NAME}/a?b=c`);
  expect(answer.status).toBe(200);
  expect(await textOf(answer)).toBe("recording");
  expect(asked.at(-1)).toMatchObject({ host: NAME, path: "/a", method: "GET" });
  const posted = await request(guardOf([PUBLIC_ADDRESS]), `https://${NAME}:8443/`, {
    ...{ method: "POST", body: "größe" },
  });
  posted.close();
  expect(asked.at(-1)).toMatchObject({ host: `${NAME}:8443`, method: "POST", body: "größe" });
});

test("a certificate of another name, or one that is not known, is no answer", async () => {
  const other = await caught(request(guardOf([PUBLIC_ADDRESS]), "https://other.example.com/"));
  expect(other).toMatchObject({ code: "url_unreachable", param: "url" });
  const { trusted, ...guard } = guardOf([PUBLIC_ADDRESS]);
  expect(await caught(request(guard, `https://${NAME}/`))).toMatchObject({ code: "url_unreachable" });
});

const REFUSED = `http://${NAME}/ https://user@${NAME}/ https://user:secret@${NAME}/ https://${NAME}:25/ https://${NAME}:80/
  ftp://${NAME}/ file:///etc/passwd javascript:1 data:,a https:// x https://127.0.0.1/ https://127.1/ https://2130706433/
  https://0x7f.1/ https://017700000001/ https://[::1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/
  https://169.254.169.254/latest https://[fd00:ec2::254]/ https://0/ https://[64:ff9b::a00:1]/ https://10.0.0.1:8443/`;

test.each(each(REFUSED))("%s is refused, and nothing is asked", async (address) => {
  const before = asked.length;
  const refusal = await caught((async () => request(guardOf([PUBLIC_ADDRESS]), address))());
  expect(refusal).toMatchObject({ code: "url_not_allowed", param: "url" });
  expect(asked.length).toBe(before);
});

test("one address of a name that is not public refuses it", async () => {
  const before = asked.length;
  for (const addresses of [["127.0.0.1"], [PUBLIC_ADDRESS, "10.0.0.1"], ["::1", PUBLIC_ADDRESS]])
    expect(await caught(request(guardOf(addresses), "https://localhost./"))).toMatchObject({
      code: "url_not_allowed",
    });
  expect(await caught(request(guardOf([]), `https://${NAME}/`))).toMatchObject({ code: "url_unreachable" });
  expect(asked.length).toBe(before);
});

test("a name server that answers otherwise the second time is not asked a second time", async () => {
  let count = 0;
  const reached: string[] = [];
  const guard = guardOf(() => (++count === 1 ? [PUBLIC_ADDRESS] : ["127.0.0.1"]));
  const connect: Guard["connect"] = (address, port) => {
    reached.push(address);
    return guard.connect(address, port);
  };
  (await request({ ...guard, connect }, `https://${NAME}/`)).close();
  expect({ count, reached }).toEqual({ count: 1, reached: [PUBLIC_ADDRESS] });
});

test("a redirect is an answer, and is not followed", async () => {
  const before = asked.length;
  const answer = await request(guardOf([PUBLIC_ADDRESS]), `https://${NAME}/moved`);
  answer.close();
  expect({ status: answer.status, count: asked.length - before }).toEqual({ status: 302, count: 1 });
});

describe("within a network of the operator", () => {
  let plain: Server;
  let port: number;
  /** What the server writes to a connection. */
  let write: (send: (text: string) => boolean) => void = () => {};
  beforeAll(async () => {
    plain = createServer((socket) => {
      socket.on("error", () => {});
      write((text) => !socket.destroyed && socket.write(text));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => plain.once("listening", resolve));
    port = (plain.address() as { port: number }).port;
  });
  afterAll(() => plain.close());
  const ask = (options: Options = {}) =>
    request(openGuard({ networks: ["127.0.0.0/8"] }), `http://127.0.0.1:${port}/`, options);

  test("plain HTTP and any port are allowed", async () => {
    write = (send) => send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    expect(await textOf(await ask())).toBe("ok");
  });

  test("an answer of endless headers ends", async () => {
    write = (send) => {
      send("HTTP/1.1 200 OK\r\n");
      for (let count = 0; count < 1000; count++) send(`x-${count}: ${"a".repeat(1000)}\r\n`);
    };
    expect(await caught(ask())).toMatchObject({ code: "url_unreachable" });
  });

  test("one that begins and never ends, or breaks off, is not taken for complete", async () => {
    write = (send) => send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
    const answer = await ask({ totalMs: 300 });
    expect(await caught(textOf(answer))).toMatchObject({ code: "url_unreachable" });
    write = () => {};
    expect(await caught(ask({ totalMs: 200 }))).toMatchObject({
      ...{ code: "url_unreachable", message: expect.stringContaining("too long") },
    });
  });

  test("a caller that leaves ends it with its own reason", async () => {
    write = () => {};
    const leaving = new AbortController();
    const answer = caught(ask({ signal: leaving.signal }));
    leaving.abort(new Error("left"));
    expect((await answer) as Error).toHaveProperty("message", "left");
  });
});

describe("through a proxy", () => {
  const connects: string[] = [];
  let proxy: Server;
  let address: string;
  beforeAll(async () => {
    proxy = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (head) => {
        connects.push(
          head
            .toString()
            .split("\r\n")
            .filter((line) => /^(CONNECT|proxy-authorization)/i.test(line))
            .join(" "),
        );
        const to = createConnection(server.port!, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          socket.pipe(to).pipe(socket);
        });
        to.on("error", () => socket.destroy());
      });
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => proxy.once("listening", resolve));
    address = `http://user:word@127.0.0.1:${(proxy.address() as { port: number }).port}`;
  });
  afterAll(() => proxy.close());
  const guard = (addresses: string[] | (() => string[])): Guard => ({
    ...guardOf(addresses),
    proxy: () => address,
  });

  test("a name is asked for by the proxy, which need not be known here, and its certificate is checked", async () => {
    const unknown = () => {
      throw new Error("ENOTFOUND");
    };
    const post = { method: "POST", body: "{}" } as const;
    expect(await textOf(await request(guard(unknown), `https://${NAME}/by-proxy`, post))).toBe("recording");
    expect(asked.at(-1)).toMatchObject({ host: NAME, path: "/by-proxy", method: "POST", body: "{}" });
    expect(connects.at(-1)).toMatch(new RegExp(`^CONNECT ${NAME}:443 .*proxy-authorization: Basic`, "i"));
    const other = request(guard([PUBLIC_ADDRESS]), "https://other.example.com/");
    expect(await caught(other)).toMatchObject({ code: "url_unreachable" });
  });

  test("a redirect is not followed, and what is known as private is refused here", async () => {
    const before = asked.length;
    const answer = await request(guard([PUBLIC_ADDRESS]), `https://${NAME}/moved`);
    answer.close();
    expect([answer.status, asked.length - before]).toEqual([302, 1]);
    for (const url of [
      "https://10.0.0.1/",
      "https://inside.example.com/",
      `http://${NAME}/`,
      `https://${NAME}:22/`,
    ])
      expect(await caught(request(guard(["10.0.0.1"]), url))).toMatchObject({ code: "url_not_allowed" });
    expect(asked.length - before).toBe(1);
  });
});
