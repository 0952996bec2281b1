/** Files of a route, one at a time: which is under way, and why the last one failed. */
import { useState } from "react";
import { save } from "../browser/save-file.ts";
import { fileOf, type Input, type RouteName } from "./server.ts";

type File = { name: string; content: Blob };

/** `name`, here and below: what is fetched, among others of the page. */
export function useDownload<K extends RouteName>(route: K) {
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ error: Error; retry: () => void } | null>(null);
  const read = async (name: string, input: Input<K>, use: (file: File) => void) => {
    setBusy(name);
    setFailure(null);
    try {
      use(await fileOf(route, input));
    } catch (error) {
      setFailure({ error: error as Error, retry: () => void read(name, input, use) });
    }
    setBusy(null);
  };
  const download = (name: string, input: Input<K>) =>
    void read(name, input, (file) => save(file.name, file.content));
  return { busy, failure, read, download };
}
