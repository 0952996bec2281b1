/** French messages that many pages share. */
import type { Translations } from "../en/translation.ts";

export const controls: Translations["controls"] = {
  language: "Langue",
  partialLanguage: "{name} (partiel)",

  cancel: "Annuler",
  close: "Fermer",
  done: "Terminé",
  previous: "Précédent",
  next: "Suivant",
  show: "Afficher",
  hide: "Masquer",
  details: "Détails",
  saved: "Enregistré.",
  all: "Tous",
  loading: "Chargement",
  tryAgain: "Réessayer",
  reload: "Recharger",

  copy: "Copier",
  copied: "Copié",
  pressToCopy: "Appuyez sur Ctrl+C pour copier",
  copyLink: "Copier le lien",
  copyTheCode: "Copier le code",

  passwordHint: "Au moins 10 caractères.",
  showField: "Afficher : {field}",
  hideField: "Masquer : {field}",
  codeOfApp: "Code de l’application",
  codeOrRecovery: "Code de votre application d’authentification ou code de récupération",
  confirmTitle: "Confirmez votre identité",
  confirm: "Confirmer",
  confirmText: "Cette action nécessite un code de votre second facteur. Il est valable 15 minutes.",
  notConfirmed: "Non confirmé : rien n’a été modifié.",
  fixFields: "Corrigez les champs signalés.",

  unreachable: "Le serveur est injoignable. Vérifiez la connexion et réessayez.",
  reconnecting: "<b>Reconnexion…</b> Le serveur ne répond pas. Cette page montre l’état à {time}.",
  connection: "Connexion",
  updated: "<b>Loquat a été mis à jour.</b> Rechargez la page pour utiliser la nouvelle version.",
  pageNotLoaded: "Cette page n’a pas pu être chargée.",
  partNotLoaded: "Cette partie de la page n’a pas pu être chargée.",
  pageOpens: "Le serveur est injoignable. La page s’ouvrira dès qu’il répondra.",
  partAppears: "Le serveur est injoignable. Cette partie apparaîtra dès qu’il répondra.",
  mayBeUpdated: "Loquat a peut-être été mis à jour. Rechargez la page pour obtenir la version actuelle.",
  pageStopped:
    "<b>Cette page s’est arrêtée à cause d’une erreur de Loquat.</b> Rechargez-la. Si le problème persiste, signalez ce message :",
  partStopped:
    "<b>Cette partie de la page s’est arrêtée à cause d’une erreur de Loquat.</b> Rechargez la page. Si le problème persiste, signalez ce message :",
  noMail: "Ce serveur n’envoie pas d’e-mails. L’exploitant trouve les messages dans un dossier.",

  spokenBy: "Voix : {voice}.",
  spokenByOf: "Voix : {voice}, de {model}.",
  noVoice: "Aucune voix n’est installée sur ce serveur. Voir : loquat doctor",
  playSample: "Écouter un extrait de {voice}",
  stopSample: "Arrêter l’extrait de {voice}",
};
