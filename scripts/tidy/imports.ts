/** What a file imports, how files hang together, and the rules about it. */
import { join } from "node:path";
import { DEPENDENCY_FILES } from "./dependency-files.ts";
import { REACHES, ROOTS, SHARED, WORKERS_REACH } from "./import-map.ts";
import { folderOf, type SourceFile } from "./project.ts";
import { eachFile, type Rule } from "./rule.ts";

const targetsOf = (file: SourceFile): string[] =>
  file.imports.filter((name) => name.startsWith(".")).map((name) => join(file.path, "..", name));

const turnsBack = (target: string) => `imports ${target}: the arrow turns back (scripts/tidy/import-map.ts)`;

export const directions: Rule = eachFile((file) => {
  const { path } = file;
  const folder = folderOf(path);
  if (!/^(src|workers)\//.test(path)) return [];
  return targetsOf(file).flatMap((target) => {
    if (path.startsWith("src/") && target.startsWith("workers/"))
      return [`imports ${target}: name a worker by its URL`];
    return mayReach(path, folder, target) ? [] : [turnsBack(target)];
  });
});

function mayReach(path: string, folder: string, target: string): boolean {
  const targetFolder = folderOf(target);
  if (targetFolder === folder || targetFolder === ".") return true;
  if (path.startsWith("src/web/"))
    return REACHES[folder]?.includes(targetFolder) === true || WEB_REACH.test(target);
  if (SHARED.includes(targetFolder)) return target !== "src/main.ts";
  if (path.startsWith("workers/"))
    return target.startsWith("workers/") || WORKERS_REACH.includes(targetFolder);
  if (path === "src/main.ts") return true;
  const level = ROOTS.indexOf(folder);
  if (level >= 0) return !ROOTS.slice(0, level).includes(targetFolder) && !target.startsWith("src/web/");
  return (REACHES[folder] ?? []).includes(targetFolder);
}

/** What pages know of the server: the management API's schema, error codes, scopes, plans, statuses of jobs, types of the audit log, the clock, CSV, sizes, audio formats, samples, subtitles. */
const WEB_REACH =
  /^src\/(api\/management\/schema\/.*|(audit-types|byte-text|clock|csv|errors|job-statuses|plans|scopes|audio\/(formats|pcm|rates)|transcription\/(cues|subtitles)|metered\/request-limits)\.ts)$/;

/** Folders of the server, the pages and the workers that import each other. */
export const folderCircles: Rule = (files) => {
  const folders = new Map<string, string[]>();
  for (const file of files.filter(({ path }) => /^(src|workers)\//.test(path))) {
    const folder = folderOf(file.path);
    const targets = targetsOf(file).map(folderOf);
    folders.set(folder, [...(folders.get(folder) ?? []), ...targets.filter((target) => target !== folder)]);
  }
  folders.delete("src"); // the entry imports the command line, and every folder may import what lies beside the entry
  return waysAround(folders).map((way) => `${way}: folders in a circle; move what they share below both`);
};

function waysAround(targets: Map<string, string[]>): string[] {
  const isDone = new Set<string>();
  const trail: string[] = [];
  const cycles: string[] = [];
  const visit = (name: string) => {
    const start = trail.indexOf(name);
    if (start >= 0) cycles.push([...trail.slice(start), name].join(" -> "));
    if (start >= 0 || isDone.has(name)) return;
    trail.push(name);
    for (const target of targets.get(name) ?? []) if (targets.has(target)) visit(target);
    trail.pop();
    isDone.add(name);
  };
  for (const name of targets.keys()) visit(name);
  return cycles;
}

/** Tests use what they need. */
const TESTS = /^test(ing)?\//;

export const dependencyFiles: Rule = eachFile((file) =>
  file.imports.flatMap((name) =>
    DEPENDENCY_FILES.some(
      ([names, files]) => names.test(name) && !files.test(file.path) && !TESTS.test(file.path),
    )
      ? [`imports ${name} beside its door: go through the file that owns it`]
      : [],
  ),
);
