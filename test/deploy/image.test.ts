/** Promise: the minimal image is built without another image, and runs with a read-only root and without rights. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileName, hostTarget, OUTPUT, ROOT, targetOf } from "../../deploy/build/target.ts";
import { makeImage, USER_ID } from "../../deploy/container/image-files.ts";

setDefaultTimeout(300_000);

const EXECUTABLE =
  process.platform === "linux" ? join(OUTPUT, fileName(targetOf(hostTarget()), "full")) : null;

/** Why nothing can be tested here; null: it can. */
function obstacle(): string | null {
  const missing = ["buildah", "podman"].filter((name) => !Bun.which(name));
  if (missing.length > 0) return `${missing.join(" and ")} not installed`;
  if (process.getuid?.() !== 0) return "not root";
  return EXECUTABLE !== null && existsSync(EXECUTABLE) ? null : "no executable in dist: npm run build";
}

const why = obstacle();
const skipped = why === null ? "" : ` (skipped: ${why})`;
const IMAGE = "localhost/loquat:test";

let folder: string;
let port: number;
/** Its own storage, so that nothing is left. */
const storage = () => [
  ...["--storage-driver", "vfs", "--root", join(folder, "storage"), "--runroot", join(folder, "run")],
];

function ran(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString();
}

const podman = (...args: string[]) =>
  ran("podman", ...storage(), "--cgroup-manager", "cgroupfs", ...runtime(), ...args);

/** The one that takes all kinds of control groups, where it is installed. */
const runtime = () => (Bun.which("runc") ? ["--runtime", "runc"] : []);

/** A copy of the context: `dist` of the checkout stays as it is. */
function build(): void {
  const context = join(folder, "context");
  mkdirSync(join(context, "dist"), { recursive: true });
  expect(makeImage(join(context, "dist", "image"), EXECUTABLE!)).toEqual([]);
  const isolated = ["--isolation", "chroot", "--format", "docker", "--file", join(ROOT, "Dockerfile")];
  const args = ["--build-arg", "PARTS=dist", "--build-arg", "VARIANT=minimal", "--tag", IMAGE];
  ran("buildah", ...storage(), "build", ...isolated, ...args, context);
  rmSync(context, { recursive: true });
}

const RIGHTS = ["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges"];

beforeAll(async () => {
  if (why !== null) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-image-"));
  build();
  using probe = Bun.serve({ port: 0, fetch: () => new Response() });
  port = probe.port!;
  await probe.stop(true);
  const limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"];
  const address = ["--network", "host", "--env", "HOST=127.0.0.1", "--env", `PORT=${port}`];
  podman("run", "--detach", "--name", "loquat", ...RIGHTS, ...limits, ...address, IMAGE);
  while (!isReady()) await Bun.sleep(50);
});

afterAll(() => {
  if (why !== null) return;
  podman("rm", "--force", "loquat");
  rmSync(folder, { recursive: true, force: true });
});

/** Throws once the container has ended. */
function isReady(): boolean {
  if (podman("inspect", "loquat", "--format", "{{.State.Running}}").trim() !== "true")
    throw new Error(podman("logs", "loquat"));
  try {
    return podman("exec", "loquat", "/usr/local/bin/loquat", "health", "--ready") === "ready\n";
  } catch {
    return false;
  }
}

const speech = (key: string, fields: object) =>
  fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: "Good morning.", ...fields }),
  });

test.skipIf(why !== null)(
  `the image runs as its own user, and keeps its first key out of the log${skipped}`,
  () => {
    expect(podman("exec", "loquat", "/usr/local/bin/loquat", "doctor")).toContain("ready    landlock");
    const [user, check] = ["{{.User}}", "{{json .HealthCheck.Test}}"].map((format) =>
      podman("image", "inspect", IMAGE, "--format", format).trim(),
    );
    expect(user).toBe(`${USER_ID}:${USER_ID}`);
    expect(JSON.parse(check!)).toEqual(["CMD", "/usr/local/bin/loquat", "health"]);
    const log = podman("logs", "loquat");
    expect(log).toContain("(stored in /var/lib/loquat/data/first-key)");
    expect(log).not.toContain("sk_live_");
  },
);

test.skipIf(why !== null)(
  `the image speaks and transcribes, and ends its requests when it stops${skipped}`,
  async () => {
    const path = join(folder, "first-key");
    podman("cp", "loquat:/var/lib/loquat/data/first-key", path);
    const key = (await Bun.file(path).text()).trim();
    const spoken = await speech(key, { response_format: "mp3" });
    expect(spoken.status).toBe(200);
    const form = new FormData();
    form.append("model", "svc-stt1");
    form.append("file", new File([await spoken.arrayBuffer()], "spoken.mp3"));
    const transcribed = await fetch(`http://127.0.0.1:${port}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    expect([transcribed.status, await transcribed.json()]).toEqual([
      200,
      expect.objectContaining({ text: expect.stringContaining("good morning") }),
    ]);
    podman("stop", "--time", "45", "loquat");
    expect(podman("inspect", "loquat", "--format", "{{.State.ExitCode}}").trim()).toBe("0");
  },
);
