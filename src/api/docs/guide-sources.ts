/** The guides as they are written: files of `docs/` in a checkout, one packed file in an executable. */
import { readFileSync } from "node:fs";
import { isPacked, readAsset, resource } from "../../resources.ts";
import { GUIDES } from "./guide-list.ts";

/** @public the file of an executable, which deploy/build writes */
export const PACKED_GUIDES = "guides.json";

/** Markdown by name. */
export function guideSources(): Record<string, string> {
  if (isPacked) return JSON.parse(readAsset(PACKED_GUIDES).toString("utf8")) as Record<string, string>;
  return Object.fromEntries(GUIDES.map((name) => [name, readFileSync(resource(`docs/${name}.md`), "utf8")]));
}
