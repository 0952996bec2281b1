/** How a file opens, and where it may lie. */
import { eachFile, type Rule } from "./rule.ts";

const FOLDERS_BELOW_THE_TOP = 3;

export const opening: Rule = eachFile(({ text }) =>
  /^(#!.*\n)?\/\*\*/.test(text) ? [] : ["opens without a doc comment: say what it owns"],
);

export const place: Rule = eachFile(({ path }) => {
  if (/\/(utils?|helpers?|common|types|misc)(\/|\.tsx?$)/.test(path))
    return ["is a drawer for anything: name what it holds"];
  if (/\/index\.tsx?$/.test(path)) return ["is a barrel: import from the file that owns the name"];
  return path.split("/").length > FOLDERS_BELOW_THE_TOP + 2
    ? [`lies too deep: ${FOLDERS_BELOW_THE_TOP} folders below the top at most`]
    : [];
});
