/** Runs the commands that its parent sends, one after another in this process, and answers what each printed and its exit code. */
import { currentBundle } from "../../src/source-bundle.mjs";

type Asked = { args: string[]; env: Record<string, string> };

const bundle = currentBundle(new URL("../..", import.meta.url).pathname);
const { runProcess }: typeof import("../../src/cli/commands.ts") = await import(
  bundle ?? "../../src/cli/commands.ts"
);

let last = Promise.resolve();
process.on("message", (asked: Asked) => {
  last = last.then(async () => void process.send!(await answer(asked)));
});
process.on("disconnect", () => process.exit());
process.send!("ready");

async function answer({ args, env }: Asked) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const [out, err] = [collected(process.stdout), collected(process.stderr)];
  try {
    await runProcess(args);
  } catch (error) {
    process.exitCode = 1; // a bug, whose stack the program shows too
    process.stderr.write(`${Bun.inspect(error)}\n`);
  }
  process.stdout.removeAllListeners("error");
  return { code: Number(process.exitCode), out: out(), err: err() };
}

/** Keeps what is written in place of writing it; returns what gives all of it. */
function collected(stream: NodeJS.WriteStream): () => string {
  const chunks: Buffer[] = [];
  stream.write = (chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    chunks.push(Buffer.from(chunk as string));
    for (const each of [encoding, done]) if (typeof each === "function") each();
    return true;
  };
  return () => Buffer.concat(chunks).toString();
}
