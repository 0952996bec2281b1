/** A browser that signs in elsewhere: it keeps the cookies of each host, and follows redirects until it is back. */
import type { Harness } from "../../harness.ts";

export type CompanyBrowser = {
  /** Begins a sign-in: the address of the provider's page. */
  begin(provider?: string, body?: object): Promise<string>;
  /** Follows redirects from there until the server's callback, whose address it returns without opening it. */
  comeBack(url: string): Promise<string>;
  /** Opens one address of the server, from the provider's site. */
  land(callback: string): Promise<Response>;
  /** All of it: the address that the browser is taken to in the end. */
  signIn(provider?: string): Promise<string>;
  get(path: string): Promise<Response>;
  cookies(): string;
};

const REDIRECTS_MAX = 10;

export function companyBrowser({ url: origin }: Pick<Harness, "url">): CompanyBrowser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const cookieOf = (url: string) => [...jarOf(url)].map(([name, value]) => `${name}=${value}`).join("; ");

  async function ask(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (cookieOf(url) !== "") headers.set("cookie", cookieOf(url));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const each of response.headers.getSetCookie()) {
      const [name = "", value = ""] = each.split(";")[0]!.split(/=(.*)/s);
      if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(each)) jarOf(url).delete(name);
      else jarOf(url).set(name, value);
    }
    return response;
  }

  const browser: CompanyBrowser = {
    async begin(provider = "company", body = {}) {
      const response = await ask(`${origin}/api/auth/sign-in/${provider}`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const { url } = (await response.json()) as { url?: string };
      if (url === undefined) throw new Error(`The sign-in did not begin: ${response.status}.`);
      return url;
    },
    async comeBack(url) {
      let next = url;
      for (let count = 0; count < REDIRECTS_MAX; count++) {
        if (next.startsWith(`${origin}/`)) return next;
        const response = await ask(next);
        const location = response.headers.get("location");
        if (location === null)
          throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
        next = new URL(location, next).href;
      }
      throw new Error("The provider redirects without end.");
    },
    land: (callback) => ask(callback, { headers: { "sec-fetch-site": "cross-site" } }),
    async signIn(provider) {
      const back = await browser.comeBack(await browser.begin(provider));
      return (await browser.land(back)).headers.get("location") ?? "";
    },
    get: (path) => ask(origin + path),
    cookies: () => cookieOf(origin),
  };
  return browser;
}
