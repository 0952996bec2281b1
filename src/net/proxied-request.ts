/** A request through an HTTP proxy, which connects to the name by CONNECT: the certificate is checked here, against the name. */

type ProxiedAsking = {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
  /** Of the proxy, with its user and password if it asks for them. */
  proxy: string;
  /** Certificates beside those of the system, in PEM. */
  trusted?: string | undefined;
};

export async function proxiedRequest(url: URL, asking: ProxiedAsking) {
  const { trusted, body, ...options } = asking;
  const leaving = new AbortController();
  const response = await fetch(url, {
    ...options,
    signal: AbortSignal.any([options.signal, leaving.signal]),
    redirect: "manual",
    keepalive: false,
    ...(body === undefined ? {} : { body }),
    ...(trusted === undefined ? {} : { tls: { ca: trusted } }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body,
    close: () => leaving.abort(),
  };
}
