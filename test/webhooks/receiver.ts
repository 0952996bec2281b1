/** A server that receives webhooks, and answers as the test says. */

type Received = { path: string; id: string; headers: Headers; body: string };

export type Receiver = Disposable & {
  url: string;
  received: Received[];
  /** What the next answers are; then 204. */
  answers: (Response | "hang")[];
  /** Paths that hang until they are released. */
  hangsAt: Set<string>;
  /** The most requests that were under way at once. */
  most(): number;
  /** Answers what hangs. */
  release(): void;
};

export function openReceiver(): Receiver {
  const received: Received[] = [];
  const answers: Receiver["answers"] = [];
  const hangsAt = new Set<string>();
  let hanging: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      most = Math.max(most, ++underWay);
      const { headers } = request;
      const body = await request.text();
      const path = new URL(request.url).pathname;
      received.push({
        path,
        id: headers.get("webhook-id") ?? "",
        headers,
        body,
      });
      const well = () => new Response(null, { status: 204 });
      const answer = hangsAt.has(path) ? "hang" : (answers.shift() ?? well());
      if (answer === "hang") await new Promise<void>((resolve) => hanging.push(resolve));
      underWay--;
      return answer === "hang" ? well() : answer;
    },
  });
  const release = () => {
    for (const end of hanging) end();
    hanging = [];
  };
  return {
    url: `http://127.0.0.1:${server.port}/`,
    received,
    answers,
    hangsAt,
    most: () => most,
    release,
    [Symbol.dispose]() {
      release();
      server.stop(true);
    },
  };
}
