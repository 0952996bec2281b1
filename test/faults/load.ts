/** Callers who never stop asking, and remember what they got. */
import type { Cli } from "../cli/process.ts";

export type Load = {
  /** Request ids of answers that came complete. */
  delivered: string[];
  /** How often which status, or "broken" for a connection that broke. */
  statuses: Map<string, number>;
  stop(): Promise<void>;
};

const BODY = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Go on." });

/** `origin` is asked for every call: the server may be another one by then, or null for none. */
export function startLoad(origin: () => string | null, key: string, callers = 4): Load {
  const delivered: string[] = [];
  const statuses = new Map<string, number>();
  let going = true;
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);

  async function call(url: string): Promise<void> {
    try {
      const response = await fetch(`${url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: BODY,
        keepalive: false,
      });
      const { byteLength } = await response.arrayBuffer();
      const whole = Number(response.headers.get("content-length")) === byteLength;
      count(whole ? String(response.status) : "broken");
      if (whole && response.ok) delivered.push(response.headers.get("x-request-id")!);
    } catch {
      count("broken");
      await Bun.sleep(5);
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
    async stop() {
      going = false;
      await all;
    },
  };
}

/** Lifts the first organization's limits, so that only faults refuse. */
export async function lift(cli: Cli, environment: Record<string, string> = {}): Promise<string> {
  const { data } = JSON.parse((await cli.run(["org", "list", "--json"], environment)).out);
  const limits = ["--requests", "10000000", "--concurrency", "10000", "--characters", "100000000"];
  await cli.run(["org", "set-limits", data[0].id, ...limits, "--monthly", "none"], environment);
  await cli.run(["credit", "grant", "1000"], environment);
  await Bun.sleep(1100); // a key's limits are read once a second
  return data[0].id;
}
