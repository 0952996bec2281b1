/** German messages about model packages. */
import type { Translations } from "../en/translation.ts";

export const packages: Translations["packages"] = {
  offerTitle: "Natürliche Stimmen und bessere Erkennung",
  offerText:
    "Dieser Server verwendet seine eingebauten Stimmen und Spracherkenner. Diese Pakete passen zu diesem Rechner:",
  sizeUnknown: "Größe unbekannt",
  languages: "Sprachen: {languages}",
  none: "keine",
  languagesOfVoices: "Sprachen der Stimmen",
  tryAgainNow: "Jetzt erneut versuchen",
  install: "{count, plural, one {# Paket} other {# Pakete}} installieren",
  installSize: "{count, plural, one {# Paket} other {# Pakete}} installieren, {size}",
  cancelDownloads: "{count, plural, one {Download} other {Downloads}} abbrechen",

  notInstalled: "Nicht installiert",
  installed: "Installiert",
  available: "{version} verfügbar",
  pulling: "{name} wird heruntergeladen",
  queued: "In der Warteschlange",
  connecting: "Verbindung wird hergestellt, {size}",
  ofSize: "{done} von {total}",
  ofSizeRate: "{done} von {total}, {rate}/s",
  left: "{progress}, noch {time}",
  nextTry: "Nächster Versuch: <time></time>.",
  isKept: "Bereits heruntergeladene Teile bleiben erhalten.",
  mirror: "Hinter einer Firewall setzen Sie <code>LOQUAT_MIRROR</code> auf einen Spiegelserver.",
  fromDisk:
    "Ohne Netzwerk verwenden Sie einen Datenträger: <code>loquat models export {name}</code> auf einem anderen Rechner, dann <code>loquat models import</code> hier.",

  allDownloads: "Alle Downloads",
  progress: "{installed, number} von {count, number} Paketen, {done}",
  progressOf: "{installed, number} von {count, number} Paketen, {done} von {total}",

  licence: "Lizenz von {name}: {licence}, in einem neuen Tab",
  licenceOf: "Lizenz von {title}",
  accept: "Zustimmen und {name} installieren",
  mustAccept:
    "Der Herausgeber verlangt, dass Sie der Lizenz zustimmen: <link>{licence} (in einem neuen Tab)</link>",
  accepted: "Ich habe die Lizenz gelesen und stimme ihr zu",

  doInstall: "Installieren",
  doUpdate: "Aktualisieren",
  doRemove: "Entfernen",
  installName: "{name} installieren",
  updateName: "{name} aktualisieren",
  removeName: "{name} entfernen",
  tryAgainName: "Erneut versuchen: {name}",
  cancelName: "{name} abbrechen",
  removeTitle: "{title} entfernen?",
  removeText:
    "<code>{name}</code> wird von diesem Server gelöscht. Seine Modelle verwenden dann andere installierte Engines oder sind nicht mehr verfügbar.",
  removeTextSize:
    "<code>{name}</code> wird von diesem Server gelöscht und gibt {size} frei. Seine Modelle verwenden dann andere installierte Engines oder sind nicht mehr verfügbar.",
};
