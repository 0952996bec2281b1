/** Adds an upstream to a running server, as an operator does. */
import type { Server } from "../harness/server.ts";

/** Once the running server offers its models. */
export async function addUpstream(server: Server, args: string[]): Promise<void> {
  const { models } = await server.loquat<{ models: { model: string }[] }>("upstream", "add", ...args);
  const added = models.map(({ model }) => model);
  const has = async () => {
    const headers = { authorization: `Bearer ${server.key}` };
    const listed = await (await fetch(`${server.url}/v1/models`, { headers })).json();
    const ids = (listed as { data: { id: string }[] }).data.map(({ id }) => id);
    return added.every((model) => ids.includes(model));
  };
  while (!(await has())) await Bun.sleep(50);
  await Bun.sleep(1100); // a definition of models that were there before is read once a second, too
}
