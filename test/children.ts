/** The children of the test's own process, without the browser that tests of pages share. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Their command lines; that of a child which has ended, and was not waited for, is empty. */
export const commandsOfChildren = (): string[] => children().map(({ command }) => command);

/** Of those whose command line has this part. */
export const pidsOfChildren = (part: string): number[] =>
  children().flatMap(({ pid, command }) => (command.includes(part) ? [pid] : []));

const BROWSER = /\/chrom(e|ium)\b/;

function children(): { pid: number; command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
        const command = parent === process.pid ? readFileSync(`/proc/${pid}/cmdline`, "latin1") : null;
        return command === null || BROWSER.test(command) ? [] : [{ pid: Number(pid), command }];
      } catch {
        return []; // it ended since
      }
    });
}

/** Waits until a child has confined itself: no files, no further privileges, a filter of system calls. */
export async function confined(pid: number): Promise<void> {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "latin1");
  const layers = [
    /NoNewPrivs:\s*1/,
    /Seccomp:\s*2/,
    ...(process.getuid!() === 0 ? [/Uid:(\s+[1-9]\d{4,}){4}/] : []),
  ];
  while (!/Max file size +0 +0/.test(read("limits")) || !layers.every((layer) => layer.test(read("status"))))
    await new Promise(setImmediate);
}
