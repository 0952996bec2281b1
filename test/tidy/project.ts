/** The TypeScript of this repository as the compiler's own trees, and files that only exist in memory as the same. */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node, SourceFile as Tree } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import { createVirtualFileSystem } from "typescript/unstable/fs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROJECTS = ["tsconfig.json", "src/web/tsconfig.json"].map((name) => join(ROOT, name));

/** `path` is relative to the repository. */
export type SourceFile = { path: string; text: string; tree: Tree };

export const readProject = (): Promise<SourceFile[]> => parse(new API({ cwd: ROOT }), PROJECTS, ROOT);

/** @param files texts by path */
export function parseFiles(files: Record<string, string>): Promise<SourceFile[]> {
  const paths = Object.keys(files);
  const config = JSON.stringify({ compilerOptions: { noLib: true, jsx: "preserve" }, files: paths });
  const absolute = Object.fromEntries(paths.map((path) => [`/${path}`, files[path]!]));
  const fs = createVirtualFileSystem({ ...absolute, "/tsconfig.json": config });
  return parse(new API({ cwd: "/", fs }), ["/tsconfig.json"], "/");
}

async function parse(api: API, projects: string[], root: string): Promise<SourceFile[]> {
  try {
    const snapshot = await api.updateSnapshot({ openProjects: projects });
    const lists = snapshot.getProjects().map(({ rootFiles, program }) =>
      rootFiles.map(async (file): Promise<SourceFile> => {
        const tree = await program.getSourceFile(file);
        if (!tree) throw new Error(`the compiler has no tree of ${file}`);
        return { path: relative(root, file), text: tree.text ?? readFileSync(file, "utf8"), tree };
      }),
    );
    return await Promise.all(lists.flat());
  } finally {
    await api.close();
  }
}

/** Every node below this one, in the order of the text. */
export function* nodesOf(node: Node): Generator<Node> {
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* nodesOf(child);
  }
}

export const folderOf = (path: string): string => dirname(path);

/** The line of a position, from 1. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length;
