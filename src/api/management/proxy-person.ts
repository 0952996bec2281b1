/**
 * Whom a proxy has signed in, from the headers that only trusted proxies may send. From anybody else they are removed, and
 * counted.
 */
import type { ProxySignIn } from "../../config/config.ts";
import { Refusal } from "../../errors.ts";
import type { ProxyPerson } from "../../identity/proxy-sign-in.ts";
import { isEmail } from "../../identity/routes/email.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { within } from "../../networks.ts";

type Server = { requestIP(request: Request): { address: string } | null } | null;

export type PersonOf = (request: Request, server: Server) => ProxyPerson | null;

type PersonDeps = { proxy: ProxySignIn | null; proxies: readonly string[]; metrics: Pick<Metrics, "count"> };

export function openPersonOf({ proxy, proxies, metrics }: PersonDeps): PersonOf {
  if (proxy === null) return () => null;
  const { emailHeader, groupsHeader, nameHeader } = proxy;
  const names = [emailHeader, groupsHeader, nameHeader].filter((name) => name !== null);
  const isProxy = within(proxies);
  return (request, server) => {
    const { headers } = request;
    if (!isProxy(server?.requestIP(request)?.address ?? "")) {
      if (names.some((name) => headers.has(name))) metrics.count("loquat_untrusted_auth_headers_total");
      for (const name of names) headers.delete(name);
      return null;
    }
    const email = textOf(headers, emailHeader);
    if (email === null) return null;
    if (!isEmail(email))
      throw new Refusal("not_signed_in", `The proxy's header ${emailHeader} must hold one e-mail address.`);
    return {
      email: email.toLowerCase(),
      name: textOf(headers, nameHeader),
      groups: (textOf(headers, groupsHeader) ?? "").split(/[,|]/).flatMap((part) => part.trim() || []),
    };
  };
}

/** Proxies write UTF-8, which arrives as one character a byte. */
function textOf(headers: Headers, name: string | null): string | null {
  const value = name === null ? null : headers.get(name);
  if (value === null || value.trim() === "") return null;
  const bytes = Buffer.from(value, "latin1");
  const decoded = bytes.toString("utf8");
  return decoded.includes("\uFFFD") ? value.trim() : decoded.trim();
}
