/** The text at an address that a request names: a web page, a book or plain text, fetched under the guard of outgoing requests. */
import { Refusal } from "../../../errors.ts";
import { checkedUrl, type Guard, type GuardedAnswer, guardedRequest } from "../../../net/guarded-request.ts";

/** `type`: as its sender says, without parameters. */
export type FetchedPage = { type: string; charset: string; answer: GuardedAnswer };

const TOTAL_MS = 60_000;
const REDIRECTS_MAX = 5;
const ACCEPTED = "text/html, application/xhtml+xml, application/epub+zip, text/markdown, text/plain";

/** Whose answer is to be closed. Throws `url_not_allowed` and `url_unreachable`, also for an address that it redirects to. */
export async function fetchPage(
  guard: Guard,
  address: string,
  { param, signal }: { param: string; signal: AbortSignal },
): Promise<FetchedPage> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  let url = checkedUrl(address, param);
  for (let redirects = 0; ; redirects++) {
    const answer = await guardedRequest(guard, url, {
      ...{ method: "GET" as const, headers: { accept: ACCEPTED }, totalMs: TOTAL_MS, signal: limited, param },
    });
    const { status, headers } = answer;
    if (status === 200) return { ...typeOf(String(headers["content-type"] ?? "")), answer };
    answer.close();
    const next =
      REDIRECTS.includes(status) && redirects < REDIRECTS_MAX ? String(headers.location ?? "") : "";
    if (next === "") throw unreadable(status, param);
    url = checkedUrl(URL.parse(next, url.href)?.href ?? next, param);
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

const CHARSET = /;\s{0,5}charset\s{0,5}=\s{0,5}"?([\w-]{1,40})/i;

const typeOf = (header: string) => ({
  type: header.split(";", 1)[0]!.trim().toLowerCase(),
  charset: CHARSET.exec(header)?.[1] ?? "",
});

const unreadable = (status: number, param: string) =>
  new Refusal("url_unreachable", `The address could not be read. It answered with status ${status}.`, {
    param,
  });
