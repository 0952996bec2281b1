/** Where PocketSphinx's libraries and its English model live on Debian and Ubuntu, and how to get them. */
const MODEL = "/usr/share/pocketsphinx/model/en-us";
const FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

export const SPHINX_FILES = {
  /** Candidates, each a base library and the recogniser. */
  libraries: FOLDERS.map(
    (folder) => [`${folder}/libsphinxbase.so.3`, `${folder}/libpocketsphinx.so.3`] as const,
  ),
  acousticModel: `${MODEL}/en-us`,
  languageModel: `${MODEL}/en-us.lm.bin`,
  dictionary: `${MODEL}/cmudict-en-us.dict`,
  how: "apt-get install -y --no-install-recommends libpocketsphinx3 pocketsphinx-en-us",
};
