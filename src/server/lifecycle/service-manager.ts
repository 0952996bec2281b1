/**
 * Tells systemd what the server does, where its unit has `Type=notify`: that it is ready, and which process is the service
 * after a handover. Source: sd_notify(3).
 */
import { ptr } from "bun:ffi";
import { openLibc } from "../../natives/libc.ts";

const [AF_UNIX, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC] = [1, 2, 0o4000, 0o2000000];

/** `socket`: NOTIFY_SOCKET; null: no service manager asks for it. False where it was not told. */
export function notifyServiceManager(socket: string | null, state: string): boolean {
  const libc = socket === null ? null : openLibc();
  if (libc === null) return false;
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  const address = addressOf(socket!);
  const message = Buffer.from(state);
  const isSent =
    libc.connect(descriptor, ptr(address), address.length) === 0 &&
    Number(libc.send(descriptor, ptr(message), BigInt(message.length), 0)) === message.length;
  libc.close(descriptor);
  return isSent;
}

/** A `sockaddr_un`. A name that begins with @ is in the abstract namespace: its first byte is 0. */
function addressOf(socket: string): Buffer {
  const family = Buffer.alloc(2);
  new Uint16Array(family.buffer, family.byteOffset, 1)[0] = AF_UNIX;
  return socket.startsWith("@")
    ? Buffer.concat([family, Buffer.from(`\0${socket.slice(1)}`)])
    : Buffer.concat([family, Buffer.from(`${socket}\0`)]);
}
