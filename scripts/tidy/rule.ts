/** A rule of the house: what is wrong with a set of files, one sentence a fault, each with its path. */
import type { SourceFile } from "./project.ts";

export type Rule = (files: SourceFile[]) => string[];

/** A rule about each file on its own. */
export const eachFile =
  (check: (file: SourceFile) => string[]): Rule =>
  (files) =>
    files.flatMap((file) => check(file).map((fault) => `${file.path} ${fault}`));
