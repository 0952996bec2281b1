/** Starts a server, and measures how long it takes until it says that it listens. */
import { announced } from "../harness/server.ts";

type Folders = { data: string; cache: string };

/** Milliseconds, and what `look` sees of the running process. The server has ended when this resolves. */
export async function startOf<T>(
  command: readonly string[],
  { data, cache }: Folders,
  look?: (pid: number) => Promise<T>,
): Promise<{ ms: number; value: T | null }> {
  const begun = performance.now();
  const child = Bun.spawn([...command, "serve"], {
    env: {
      PATH: Bun.env.PATH,
      LOQUAT_DATA: data,
      LOQUAT_CACHE: cache,
      LOQUAT_LAME_DUCK_SECONDS: "0",
      LOG_LEVEL: "warn",
      PORT: "0",
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  await announced(child.stdout);
  const ms = performance.now() - begun;
  const value = look ? await look(child.pid) : null;
  child.kill("SIGTERM");
  await child.exited;
  return { ms, value };
}
