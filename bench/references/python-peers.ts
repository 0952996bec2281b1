/**
 * The published implementations in Python that engines are compared with, in a virtual environment of their own: made
 * once for a list of versions, in a cache folder outside the repository.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Those compared with, and what their figures depend on. */
export const PEERS = [
  "faster-whisper==1.2.1",
  "ctranslate2==4.8.5",
  "kokoro-onnx==0.6.1",
  "piper-tts==1.8.0",
  "onnxruntime==1.32.0",
  "numpy==2.4.6",
];
const INSTALL_MS = 15 * 60_000;

let made: string | null | undefined;

/** The interpreter that has all of `PEERS`; null where it cannot be made, and standard error says why. */
export function peersPython(): string | null {
  if (made === undefined) made = makePeers();
  return made;
}

function makePeers(): string | null {
  const cache = join(Bun.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "loquat-bench-peers");
  const folder = join(cache, Bun.hash(PEERS.join()).toString(36));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const partial = mkdtempSync(join(cache, "partial-"));
    try {
      const python = pythonOf(partial);
      if (!succeeds(["python3", "-m", "venv", partial])) return null;
      if (!succeeds([python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", ...PEERS]))
        return null;
      if (!existsSync(folder)) renameSync(partial, folder); // another run may have made it meanwhile
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return pythonOf(folder);
}

const pythonOf = (folder: string) => join(folder, "bin", "python");

function succeeds(command: string[]): boolean {
  if (Bun.which(command[0]!) === null) {
    process.stderr.write(`  ${command[0]} is not installed\n`);
    return false;
  }
  const { success, stderr } = Bun.spawnSync(command, { timeout: INSTALL_MS, stdout: "ignore" });
  if (!success) process.stderr.write(`  ${command.join(" ")}: ${stderr.toString().trim()}\n`);
  return success;
}
