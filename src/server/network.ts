/** Where a server listens: its address, its certificate, and the addresses under which it is reached. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { systemClock } from "../clock.ts";
import { type Config, ConfigError, type TlsFiles } from "../config/config.ts";
import { hostNames, lanAddresses } from "../tls/local-names.ts";
import { ownCertificate, ownFiles } from "../tls/own-certificate.ts";
import type { buildApp } from "./app.ts";
import { putBehindPort } from "./plain-http.ts";

type App = ReturnType<typeof buildApp>;

type NetworkOptions = {
  /** Listen on the network, with a certificate of the server's own where there is no other. */
  lan?: true | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
};

const LOOPBACK = ["127.0.0.1", "localhost", "::1"];
const ANY = ["0.0.0.0", "::"];

/** The configuration with the options of the command line, which go before variables. */
export function withNetwork(config: Config, { lan, tlsCert, tlsKey }: NetworkOptions): Config {
  const { http, data } = config;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new ConfigError("--tls-cert and --tls-key must be given together.");
  const files = tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : http.tls;
  const host = lan && LOOPBACK.includes(http.host) ? "0.0.0.0" : http.host;
  const tls = files ?? (lan ? ownCertificate(data.folder, ownNames(), systemClock) : null);
  if (tls && http.url?.startsWith("http:"))
    throw new ConfigError("LOQUAT_URL starts with http://, but this server has a certificate: use https://.");
  return { ...config, http: { ...http, host, tls } };
}

/** Whether clients do not know the certificate yet. */
export const hasOwnCertificate = ({ http, data }: Config): boolean =>
  http.tls?.cert === ownFiles(data.folder).cert;

const ownNames = () => [...hostNames(), "localhost", ...lanAddresses(), "127.0.0.1"];

/** The origins of a listening server for browsers: the first one is for links, and then those of other machines. */
export function originsOf({ url }: { url: URL }, { host }: Config["http"]): string[] {
  const at = (name: string) => `${url.protocol}//${name}${url.port === "" ? "" : `:${url.port}`}`;
  if (!ANY.includes(host)) return [url.origin];
  return [...lanAddresses(), ...hostNames().slice(-1), "127.0.0.1"].map(at);
}

/** Throws as `listen` would. For the time before anything is created that a server needs to answer. */
export async function checkAddress(http: Config["http"]): Promise<void> {
  const server = openAddress(http, "PORT", (address) =>
    Bun.serve({ ...address, fetch: () => new Response(null, { status: 503 }) }),
  );
  await server.stop(true);
}

/**
 * Throws a `ConfigError` that names the variable to change. With a certificate of the server's own, which its clients did not
 * choose, the port also answers plain http.
 */
export function listen(app: App, config: Config): NonNullable<App["server"]> {
  const { http } = config;
  openAddress(http, "PORT", (address) => {
    if (!hasOwnCertificate(config)) return app.listen(address);
    app.listen({ ...address, hostname: "127.0.0.1", port: 0 });
    putBehindPort(app.server!, { hostname: address.hostname, port: address.port, reusePort: http.reusePort });
  });
  return app.server!;
}

type Address = { hostname: string; port: number; tls?: { cert: string; key: string } };

type Place = Pick<Config["http"], "host" | "port" | "tls">;

/** What `serve` opens at an address. Throws a `ConfigError` that names the variable of the port, or another one to change. */
export function openAddress<T>(
  { host, port, tls }: Place,
  variable: string,
  serve: (address: Address) => T,
): T {
  const secured = tls && readTls(tls);
  try {
    return serve({ hostname: host, port, ...(secured && { tls: secured }) });
  } catch (error) {
    throw new ConfigError(reasonOf(error as Failure, { host, port, variable }));
  }
}

type Failure = { code?: string; message: string };

function reasonOf(
  { code, message }: Failure,
  { host, port, variable }: { host: string; port: number; variable: string },
) {
  switch (code) {
    case "EADDRINUSE":
      return `${variable} ${port} on HOST ${host} is already in use. Set ${variable} to another number.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN": {
      const addresses = ["127.0.0.1 (this machine only)", "0.0.0.0 (every network)", ...lanAddresses()];
      return `HOST ${host} is not an address of this machine. Set HOST to one of: ${addresses.join(", ")}.`;
    }
    case "EACCES":
      return `${variable} ${port} needs more rights than this user has. Set ${variable} to 1024 or a higher number.`;
    default:
      return `${variable} ${port} on HOST ${host} cannot be used: ${message}. Set ${variable} and HOST to others.`;
  }
}

function readTls({ cert, key }: TlsFiles): { cert: string; key: string } {
  const files = { cert: readPem("LOQUAT_TLS_CERT", cert), key: readPem("LOQUAT_TLS_KEY", key) };
  const certificate = parsed("LOQUAT_TLS_CERT", cert, () => new X509Certificate(files.cert));
  const privateKey = parsed("LOQUAT_TLS_KEY", key, () => createPrivateKey(files.key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new ConfigError(`LOQUAT_TLS_KEY: ${key} is not the key of the certificate in ${cert}.`);
  return files;
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${name}: ${path} cannot be read: ${(error as Error).message}`);
  }
}

function parsed<T>(name: string, path: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new ConfigError(`${name}: ${path} is not a PEM file of the expected kind.`);
  }
}
