/** Where PocketSphinx's libraries and its English model are on Debian and Ubuntu, and how to install them. */
import { existsSync } from "node:fs";

const MODEL = "/usr/share/pocketsphinx/model/en-us";
const FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

export const SPHINX_FILES = {
  /** Candidates, each a base library and the recognizer. */
  libraries: FOLDERS.map(
    (folder) => [`${folder}/libsphinxbase.so.3`, `${folder}/libpocketsphinx.so.3`] as const,
  ),
  acousticModel: `${MODEL}/en-us`,
  languageModel: `${MODEL}/en-us.lm.bin`,
  dictionary: `${MODEL}/cmudict-en-us.dict`,
};

export const SPHINX_INSTALL =
  "apt-get install -y --no-install-recommends libpocketsphinx3 pocketsphinx-en-us";

/** What `doctor` names as missing; null where PocketSphinx is installed. */
export function missingSphinx(): string | null {
  const { libraries, languageModel } = SPHINX_FILES;
  const isInstalled = libraries.some((files) => files.every(existsSync)) && existsSync(languageModel);
  return isInstalled ? null : "the libraries libpocketsphinx and its English model";
}
