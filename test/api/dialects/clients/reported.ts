/**
 * What a program of stock clients tells of its calls: a line of JSON each, with the call's name. It runs once, when the
 * first is asked for.
 */
type Told = { name: string; heard?: string; seconds?: number; bytes?: number; failed?: string };

type Program = { command: string[]; folder: string; environment?: Record<string, string> };

/** `open`: what to run, once the server is there. */
export function reported(open: () => Program): (name: string) => Promise<Told> {
  let report: Promise<Map<string, Told>> | null = null;
  return async (name) => {
    report ??= run(open());
    const told = (await report).get(name);
    if (told === undefined) throw new Error(`the program tells nothing of ${name}`);
    if (told.failed !== undefined) throw new Error(told.failed);
    return told;
  };
}

async function run({ command, folder, environment }: Program): Promise<Map<string, Told>> {
  const env = { ...Bun.env, ...environment };
  const child = Bun.spawn(command, { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const lines = output.split("\n").filter((line) => line.startsWith('{"name"'));
  if (lines.length === 0) throw new Error(errors.slice(-2000));
  return new Map(lines.map((line) => JSON.parse(line) as Told).map((told) => [told.name, told]));
}
