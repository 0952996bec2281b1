/** Warns of commits too large to review: what `git blame` and `git bisect` lead to should be one change. Never fails. */
import { spawnSync } from "node:child_process";

const LATEST = 50;
const INSERTIONS_MAX = 1500;
/** What programs write. */
const GENERATED = /^(openapi\.json|package-lock\.json|drizzle\/|docs\/command-line\.md)/;

const args = ["log", `-${LATEST}`, "--no-merges", "--numstat", "-M", "--format=%x00%h %s"];
const { stdout, status } = spawnSync("git", args, { encoding: "utf8", cwd: `${import.meta.dir}/..` });
if (status === 0)
  for (const commit of stdout.split("\0").slice(1)) {
    const [subject = "", ...rows] = commit.split("\n");
    const insertions = rows
      .map((row) => row.split("\t"))
      .filter(([count, , path = ""]) => /^\d+$/.test(count ?? "") && !GENERATED.test(path))
      .reduce((sum, [count]) => sum + Number(count), 0);
    if (insertions > INSERTIONS_MAX)
      process.stderr.write(
        `warning: ${insertions} lines inserted in one commit, ${INSERTIONS_MAX} at most: ${subject}\n`,
      );
  }
