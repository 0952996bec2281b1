/** Plays a WAV file aloud with the first player that is installed. */
import { UsageError } from "../base/output.ts";

/** The programs that are tried, in order, and how each is called. */
const PLAYERS: [program: string, args: string[]][] = [
  ["afplay", []],
  ["pw-play", []],
  ["paplay", []],
  ["aplay", ["-q"]],
  ["ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]],
];

/** Called before anything is synthesized, so that a missing player is reported at once. */
export function findPlayer(): (path: string) => Promise<void> {
  for (const [program, args] of PLAYERS) {
    const found = Bun.which(program);
    if (found !== null) return (path) => play([found, ...args, path]);
  }
  const names = PLAYERS.map(([program]) => program).join(", ");
  throw new UsageError(`No audio player is installed. Install one of: ${names}; or write a file with -o.`);
}

async function play(command: string[]): Promise<void> {
  const player = Bun.spawn(command, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await player.exited;
  if (code !== 0) throw new UsageError(`${command[0]} could not play the audio: it ended with code ${code}.`);
}
