/** An engine that does as it is told, as a thread (by its default export) and as a process (by its messages). */
type Task = { wait?: number; answer?: string; fail?: string; die?: boolean };

export default async function work({ wait = 0, answer = "done", fail, die = false }: Task): Promise<string> {
  if (wait > 0) await Bun.sleep(wait);
  if (die) process.exit(9);
  if (fail !== undefined) throw new Error(fail);
  return answer;
}

process.on("message", async ({ id, task }: { id: number; task: Task }) => {
  try {
    process.send!({ id, samples: await work(task) });
  } catch (error) {
    process.send!({ id, error: (error as Error).message });
  }
});
