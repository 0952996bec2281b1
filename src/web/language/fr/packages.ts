/** French messages about model packages. */
import type { Translations } from "../en/translation.ts";

export const packages: Translations["packages"] = {
  offerTitle: "Voix naturelles et meilleure reconnaissance",
  offerText:
    "Ce serveur utilise ses voix et ses moteurs de reconnaissance intégrés. Ces paquets conviennent à cette machine :",
  sizeUnknown: "taille inconnue",
  languages: "Langues : {languages}",
  none: "aucune",
  languagesOfVoices: "Langues des voix",
  tryAgainNow: "Réessayer maintenant",
  install: "Installer {count, plural, one {# paquet} other {# paquets}}",
  installSize: "Installer {count, plural, one {# paquet} other {# paquets}}, {size}",
  cancelDownloads: "Annuler {count, plural, one {le téléchargement} other {les téléchargements}}",

  notInstalled: "Non installé",
  installed: "Installé",
  available: "{version} disponible",
  pulling: "Téléchargement de {name}",
  queued: "En file d’attente",
  connecting: "Connexion, {size}",
  ofSize: "{done} sur {total}",
  ofSizeRate: "{done} sur {total}, {rate}/s",
  left: "{progress}, encore {time}",
  nextTry: "Prochaine tentative : <time></time>.",
  isKept: "Ce qui a été téléchargé est conservé.",
  mirror: "Derrière un pare-feu, donnez à <code>LOQUAT_MIRROR</code> l’adresse d’un miroir.",
  fromDisk:
    "Sans réseau, utilisez un disque : <code>loquat models export {name}</code> sur une autre machine, puis <code>loquat models import</code> ici.",

  allDownloads: "Tous les téléchargements",
  progress: "{installed, number} paquets sur {count, number}, {done}",
  progressOf: "{installed, number} paquets sur {count, number}, {done} sur {total}",

  licence: "Licence de {name} : {licence}, dans un nouvel onglet",
  licenceOf: "Licence de {title}",
  accept: "Accepter et installer {name}",
  mustAccept:
    "L’éditeur exige que vous acceptiez la licence : <link>{licence} (dans un nouvel onglet)</link>",
  accepted: "J’ai lu et j’accepte la licence",

  doInstall: "Installer",
  doUpdate: "Mettre à jour",
  doRemove: "Supprimer",
  installName: "Installer {name}",
  updateName: "Mettre à jour {name}",
  removeName: "Supprimer {name}",
  tryAgainName: "Réessayer : {name}",
  cancelName: "Annuler {name}",
  removeTitle: "Supprimer {title} ?",
  removeText:
    "<code>{name}</code> est supprimé de ce serveur. Ses modèles utilisent alors d’autres moteurs installés ou deviennent indisponibles.",
  removeTextSize:
    "<code>{name}</code> est supprimé de ce serveur, ce qui libère {size}. Ses modèles utilisent alors d’autres moteurs installés ou deviennent indisponibles.",
};
