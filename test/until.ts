/** Waits for what happens elsewhere, in other tasks or processes; the test's own time limit ends a wait in vain. */
const POLL_MS = 5;

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(POLL_MS);
}
