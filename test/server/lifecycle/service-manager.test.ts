/** Promise: systemd is told what the server does, over the socket that it names. */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notifyServiceManager } from "../../../src/server/lifecycle/service-manager.ts";
import { openCli } from "../../cli/process.ts";
import { until } from "../../until.ts";

const isLinux = process.platform === "linux";
const [AF_UNIX, SOCK_DGRAM, MSG_DONTWAIT] = [1, 2, 0x40];
const { i32, u32, u64, i64 } = FFIType;

/** A datagram socket at this address, as systemd opens one. */
function openSocket(address: Buffer) {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: [i32, i32, i32], returns: i32 },
    bind: { args: [i32, FFIType.ptr, u32], returns: i32 },
    recv: { args: [i32, FFIType.ptr, u64, i32], returns: i64 },
    close: { args: [i32], returns: i32 },
  });
  const descriptor = symbols.socket(AF_UNIX, SOCK_DGRAM, 0);
  expect(symbols.bind(descriptor, ptr(address), address.length)).toBe(0);
  return {
    read() {
      const bytes = Buffer.alloc(256);
      const length = Number(symbols.recv(descriptor, ptr(bytes), 256n, MSG_DONTWAIT));
      return bytes.subarray(0, Math.max(0, length)).toString();
    },
    [Symbol.dispose]: () => void symbols.close(descriptor),
  };
}

const skipped = isLinux ? "" : " (skipped: it is Linux's)";

test.skipIf(!isLinux)(`a message arrives at a socket in a folder${skipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-notify-"));
  try {
    const path = join(folder, "notify");
    using socket = openSocket(Buffer.from(`\x01\0${path}\0`, "latin1"));
    expect(notifyServiceManager(path, "READY=1")).toBe(true);
    expect(socket.read()).toBe("READY=1");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(!isLinux)(`a message arrives at an abstract socket${skipped}`, () => {
  const name = `loquat-test-${process.pid}`;
  using socket = openSocket(Buffer.from(`\x01\0\0${name}`, "latin1"));
  expect(notifyServiceManager(`@${name}`, "MAINPID=42")).toBe(true);
  expect(socket.read()).toBe("MAINPID=42");
});

test.skipIf(!isLinux)(`a server says that it is ready, and that it stops${skipped}`, async () => {
  using cli = openCli();
  const name = `loquat-serve-${process.pid}`;
  using socket = openSocket(Buffer.from(`\x01\0\0${name}`, "latin1"));
  const server = await cli.serve({ NOTIFY_SOCKET: `@${name}` });
  const messageOf = () => until(() => socket.read() || null);
  expect(await messageOf()).toBe("READY=1");
  expect(await server.stop()).toBe(0);
  expect(socket.read()).toBe("STOPPING=1");
});

test("without a socket, or where no process listens, nothing is told", () => {
  expect(notifyServiceManager(null, "READY=1")).toBe(false);
  expect(notifyServiceManager("/nowhere/notify", "READY=1")).toBe(false);
});
