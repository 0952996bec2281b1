/**
 * Announces the port on the local network with Zeroconf (RFC 6763, `_wyoming._tcp`), so that Home Assistant offers it by
 * itself.
 */
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import { version } from "../../package.json";
import type { Log } from "../log/log.ts";

/** Where the port listens: an IP address. */
type Address = { address: string; port: number };

const ANY = ["0.0.0.0", "::"];

/** Other machines cannot reach it. */
export const isLoopback = (address: string): boolean => /^(::ffff:)?127\./.test(address) || address === "::1";

/** Waits until the name is free: a second service of that name would get another one. */
export function announceAfter(free: Promise<unknown>, address: Address, log: Log): AsyncDisposable {
  let isClosed = false;
  let announced: AsyncDisposable | null = null;
  void free.then(() => {
    if (!isClosed) announced = announce(address, log);
  });
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await announced?.[Symbol.asyncDispose]();
    },
  };
}

/** A failure, such as a network without multicast, is logged and stops nothing. */
function announce({ address, port }: Address, log: Log): AsyncDisposable {
  const failed = (cause: unknown) => log.warn("wyoming_announcement_failed", { cause });
  const announced = publish({ address, port }).catch((cause: unknown) => {
    failed(cause);
    return null;
  });
  return {
    async [Symbol.asyncDispose]() {
      await (await announced)?.shutdown().catch(failed); // says goodbye, so that clients forget the service
    },
  };
}

async function publish({ address, port }: Address) {
  const responder = (await library()).getResponder();
  const service = responder.createService({
    name: `Loquat on ${hostname().split(".", 1)[0]}`, // one more with this name on the network gets a number
    type: "wyoming",
    port,
    txt: { version }, // without any property, the library takes its own announcement for another's, and starts over
    disabledIpv6: !isIPv6(address),
    ...(ANY.includes(address) ? {} : { restrictedAddresses: [address] }),
  });
  try {
    await service.advertise();
  } catch (cause) {
    await responder.shutdown();
    throw cause;
  }
  return responder;
}

/** Loading it also replaces how stack traces are written and uncaught exceptions reported: both are put back. */
async function library() {
  const { prepareStackTrace } = Error;
  const { emit } = process;
  const { default: ciao } = await import("@homebridge/ciao");
  Object.assign(Error, { prepareStackTrace });
  Object.assign(process, { emit });
  return ciao;
}
