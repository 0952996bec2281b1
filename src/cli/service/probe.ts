/** One request to a probe of a server. By node:http, because `fetch` sends even this machine's own through HTTP_PROXY. */
import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecured } from "node:https";

type Health = { isHealthy: boolean; text: string };

export async function probe(url: URL, timeoutMs: number): Promise<Health> {
  try {
    const { status, body } = await answerOf(url, timeoutMs);
    const { status: state, reasons } = JSON.parse(body) as { status: string; reasons?: string[] };
    return { isHealthy: status === 200, text: [state, ...(reasons ?? [])].join(" ") };
  } catch (error) {
    return { isHealthy: false, text: `${url.href} does not answer: ${(error as Error).message}` };
  }
}

type Answer = { status: number | undefined; body: string };

function answerOf(url: URL, timeoutMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { agent: false, rejectUnauthorized: false } as const; // no secret is sent, so any certificate will do
  const answered = (response: IncomingMessage) => {
    response.setEncoding("utf8").on("error", reject);
    response
      .toArray()
      .then((pieces) => resolve({ status: response.statusCode, body: pieces.join("") }), reject);
  };
  const request =
    url.protocol === "https:" ? getSecured(url, options, answered) : getPlain(url, options, answered);
  request.on("error", reject);
  const timer = setTimeout(() => request.destroy(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs);
  return promise.finally(() => clearTimeout(timer));
}
