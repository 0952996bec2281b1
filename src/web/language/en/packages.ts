/** English messages about model packages: what is offered, downloaded and installed. */
import { areaTexts } from "../texts.ts";

export const packages = {
  offerTitle: "Natural voices and better recognition",
  offerText: "This server uses its built-in voices and recognizers. These packages suit this machine:",
  sizeUnknown: "size unknown",
  languages: "Languages: {languages}",
  none: "none",
  languagesOfVoices: "Languages of the voices",
  tryAgainNow: "Try again now",
  install: "Install {count, plural, one {# package} other {# packages}}",
  installSize: "Install {count, plural, one {# package} other {# packages}}, {size}",
  cancelDownloads: "Cancel {count, plural, one {the download} other {the downloads}}",

  notInstalled: "Not installed",
  installed: "Installed",
  available: "{version} available",
  pulling: "Pulling {name}",
  queued: "Queued",
  connecting: "Connecting, {size}",
  ofSize: "{done} of {total}",
  ofSizeRate: "{done} of {total}, {rate}/s",
  left: "{progress}, {time} left",
  nextTry: "Next try <time></time>.",
  isKept: "What was downloaded is kept.",
  mirror: "Behind a firewall, set <code>LOQUAT_MIRROR</code> to a mirror.",
  fromDisk:
    "Without a network, bring it on a disk: <code>loquat models export {name}</code> elsewhere, then <code>loquat models import</code> here.",

  allDownloads: "All downloads",
  progress: "{installed, number} of {count, number} packages, {done}",
  progressOf: "{installed, number} of {count, number} packages, {done} of {total}",

  licence: "Licence of {name}: {licence}, in a new tab",
  licenceOf: "Licence of {title}",
  accept: "Accept and install {name}",
  mustAccept: "The publisher requires you to accept the licence: <link>{licence} (in a new tab)</link>",
  accepted: "I have read and accept the licence",

  doInstall: "Install",
  doUpdate: "Update",
  doRemove: "Remove",
  installName: "Install {name}",
  updateName: "Update {name}",
  removeName: "Remove {name}",
  tryAgainName: "Try again: {name}",
  cancelName: "Cancel {name}",
  removeTitle: "Remove {title}?",
  removeText:
    "<code>{name}</code> is deleted from this server. Its models then use other installed engines, or become unavailable.",
  removeTextSize:
    "<code>{name}</code> is deleted from this server, which frees {size}. Its models then use other installed engines, or become unavailable.",
} as const;

export const packagesTexts = areaTexts("packages", packages);
