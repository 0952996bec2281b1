/** Callers who never stop asking, and remember what they got. */
import type { Cli } from "../cli/process.ts";

export type Load = {
  /** Request ids of answers that came complete. */
  delivered: string[];
  /** How often which status, or "broken" for a connection that broke. */
  statuses: Map<string, number>;
  /** The longest that a caller waited for the end of an answer. */
  slowestMs(): number;
  stop(): Promise<void>;
};

const BODY = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." });

/** `origin` is asked for every call: the server may be another one by then, or null for none. */
export const startLoad = (origin: () => string | null, key: string, callers = 4): Load =>
  startLoadOf({ origin, key, callers });

/** `bytes`: of a whole answer, where its headers do not tell. */
type Calls = { origin: () => string | null; key: string; callers: number; body?: string; bytes?: number };

export function startLoadOf({ origin, key, callers, body = BODY, bytes }: Calls): Load {
  const delivered: string[] = [];
  const statuses = new Map<string, number>();
  let going = true;
  let slowestMs = 0;
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);

  async function call(url: string): Promise<void> {
    const begunMs = performance.now();
    try {
      const response = await fetch(`${url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body,
        keepalive: false,
      });
      const { byteLength } = await response.arrayBuffer();
      const whole = (bytes ?? Number(response.headers.get("content-length"))) === byteLength;
      count(whole ? String(response.status) : "broken");
      if (whole && response.ok) delivered.push(response.headers.get("x-request-id")!);
    } catch {
      count("broken");
      await Bun.sleep(5);
    } finally {
      slowestMs = Math.max(slowestMs, performance.now() - begunMs);
    }
  }
  async function caller(): Promise<void> {
    while (going) {
      const url = origin();
      if (url === null) await Bun.sleep(5);
      else await call(url);
    }
  }
  const all = Promise.all(Array.from({ length: callers }, caller));
  return {
    delivered,
    statuses,
    slowestMs: () => slowestMs,
    async stop() {
      going = false;
      await all;
    },
  };
}

/** So many requests at once, over several servers. Resolves to how many were admitted. */
export async function admittedOf(urls: readonly string[], key: string, count: number): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const headers = { authorization: `Bearer ${key}` };
      const url = `${urls[at % urls.length]}/v1/audio/speech`;
      const response = await fetch(url, { method: "POST", headers, body: BODY });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  return statuses.filter((status) => status === 200).length;
}

/** Lifts the first organization's limits, so that only faults refuse. */
export async function lift(cli: Cli, environment: Record<string, string> = {}): Promise<string> {
  const { data } = JSON.parse((await cli.runInTurn(["org", "list", "--json"], environment)).out);
  const limits = ["--requests", "10000000", "--concurrency", "10000", "--characters", "100000000"];
  await cli.runInTurn(["org", "set-limits", data[0].id, ...limits, "--monthly", "none"], environment);
  await cli.runInTurn(["credit", "grant", "1000"], environment);
  await Bun.sleep(1100); // a key's limits are read once a second
  return data[0].id;
}
