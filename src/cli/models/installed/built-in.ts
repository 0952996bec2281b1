/** What does the work of a package without one: the voices and the recognizer that are built in. */
import type { Catalogue } from "../../../models/catalogue.ts";
import { isEmbedded } from "../../../models/manifest.ts";
import type { Package } from "../../../models/packages/package.ts";
import { languagesOf } from "../../../models/pull/recommend.ts";

/** Such as "The voice Ada (flite)"; null where nothing that is built in serves a language of the package. */
export function builtInFor(pkg: Package, { voices, entries }: Catalogue): string | null {
  const languages = languagesOf(pkg);
  if (pkg.recognition === undefined) {
    const voice = voices.find(({ engine, language }) => isEmbedded(engine) && languages.has(language));
    return voice ? `The voice ${voice.name} (${voice.engine})` : null;
  }
  const engines = entries.flatMap(({ version }) =>
    version?.type === "stt" ? version.recognition.engines : [],
  );
  const found = engines.find(
    (each) => isEmbedded(each.engine) && each.languages.some((one) => languages.has(one)),
  );
  return found ? `The recognizer ${found.engine}` : null;
}
