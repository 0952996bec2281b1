/** A model package as the management API returns it. */

import type { Reply } from "../../api/server.ts";
import { languageName } from "../../format/language-name.ts";

export type Package = Reply<"GET /api/operator/models">["data"][number];

export const isPulling = ({ pull }: Package) => pull?.status === "running";

export const isFailed = ({ pull }: Package) => pull?.status === "failed";

/** With the language of a voice first, so that those of one language stand together: "German: Thorsten". */
export function titleOf({ title, task, languages }: Pick<Package, "title" | "task" | "languages">): string {
  const [name] = title.split(": ");
  return task === "synthesis" && languages.length === 1 ? `${languageName(languages[0]!)}: ${name}` : name!;
}

/** It adds formats or voices to the server, and runs in a process of its own. */
export const isProgram = ({ family }: Package) => family === "program";
