/**
 * The hash that a new executable must have: as the operator says, or from the list SHA256SUMS beside it, as `sha256sum` writes it.
 *
 *   dist/loquat-linux-x64   dist/SHA256SUMS: <64 hexadecimal digits>  loquat-linux-x64
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { get, type Hub } from "../../models/pull/hub.ts";
import { UpgradeError } from "./upgrade-error.ts";

const LIST = "SHA256SUMS";
const LIST_MAX_BYTES = 1024 * 1024;

/** `stated`: by the operator, or null. */
export async function expectedHash(from: string, stated: string | null, hub: Hub): Promise<string> {
  if (stated !== null) return stated;
  const url = URL.parse(from);
  if (url?.protocol === "http:")
    throw new UpgradeError(
      `${from} is not encrypted, so that anyone on the way may change it. Give --sha256 or use https.`,
    );
  const list = url?.protocol === "https:" ? await download(new URL(LIST, url).href, hub) : read(from);
  const name = basename(url?.protocol === "https:" ? decodeURIComponent(url.pathname) : from);
  const hash = hashIn(list, name);
  if (hash === null) throw new UpgradeError(`${LIST} beside ${from} does not list ${name}. Give --sha256.`);
  return hash;
}

/** Null where the list does not have the name. @internal */
export function hashIn(list: string, name: string): string | null {
  const entries = list.split("\n").map((line) => /^([0-9a-f]{64}) [ *](.+?)\r?$/i.exec(line));
  return entries.find((entry) => entry?.[2] === name)?.[1]?.toLowerCase() ?? null;
}

function read(from: string): string {
  const path = join(dirname(from), LIST);
  if (!existsSync(path)) throw new UpgradeError(`There is no ${LIST} beside ${from}. Give --sha256.`);
  return readFileSync(path, "utf8");
}

async function download(url: string, hub: Hub): Promise<string> {
  const { response } = await get(hub, url, { from: 0, to: LIST_MAX_BYTES - 1 });
  return await response.text();
}
