/** French messages of an organization's own voices. */
import type { Translations } from "../en/translation.ts";

export const ownVoices: Translations["ownVoices"] = {
  title: "Voix de cette organisation",
  cloning:
    "Une voix est créée à partir d’un enregistrement de 3 à 30 secondes. Seule cette organisation peut l’utiliser.",
  cloningOff:
    "L’opérateur de ce serveur a désactivé le clonage vocal : les voix ne peuvent être ni créées ni utilisées.",
  cloningMissing:
    "Aucun modèle installé ne crée de voix à partir d’enregistrements. L’opérateur de ce serveur peut en installer un sur la page Modèles.",
  canBlend: "Les voix d’un modèle peuvent être mélangées, sans enregistrement.",
  none: "Aucune voix pour l’instant.",
  name: "Nom",
  id: "Id.",
  madeOf: "Créée à partir de",
  madeOn: "Créée le",
  aRecording: "un enregistrement",
  ofRecording: "{seconds} s d’enregistrement",
  actions: "Actions",
  play: "Lire",
  stop: "Arrêter",
  playRecording: "Lire l’enregistrement de {name}",
  stopRecording: "Arrêter l’enregistrement de {name}",
  speakWith: "Parler avec la voix de {name}",
  delete: "Supprimer",
  deleteName: "Supprimer {name}",
  deleteTitle: "Supprimer {name} ?",
  deleteRecording: "L’enregistrement et le consentement sont également supprimés.",
  deleteText: "Les requêtes avec cette voix seront ensuite refusées.",

  consents: "Consentements des locuteurs",
  consentsText:
    "Un enregistrement dans lequel un locuteur donne son accord, conservé par l’API pour un nombre quelconque de voix. Chaque voix garde une copie de celui avec lequel elle a été créée.",
  consentList: "Consentements",
  noConsents: "Aucun consentement pour l’instant.",
  language: "Langue",
  playConsent: "Lire le consentement de {name}",
  stopConsent: "Arrêter le consentement de {name}",
  deleteConsent: "Supprimer le consentement de {name}",
  deleteConsentTitle: "Supprimer le consentement de {name} ?",
  deleteConsentText:
    "Les voix créées avec ce consentement sont conservées, avec leur copie. Supprimez-les aussi si le locuteur se rétracte.",

  make: "Créer une voix",
  doMake: "Créer la voix",
  recording: "Enregistrement",
  recordingHint:
    "De 3 à 30 secondes d’une seule personne, dans une pièce calme : le bruit ferait partie de la voix.",
  needsRecording: "Faites un enregistrement ou choisissez un fichier.",
  agrees: "La personne qui parle donne son accord",
  inWriting: "Par écrit",
  inRecording: "Dans un enregistrement",
  consent: "Consentement",
  consentHint:
    "Par exemple : Je suis Ada et j’accepte que cette voix soit créée à partir de la mienne. Le texte est conservé avec la voix.",
  spokenConsent: "Consentement enregistré",
  spokenConsentHint:
    "Par exemple : Je suis Ada et j’accepte que cette voix soit créée à partir de la mienne.",
  needsConsent: "Enregistrez le consentement ou choisissez son fichier.",
  fileOf: "{label} : fichier",
  toCheck: "{label}, pour vérification",

  blend: "Mélanger des voix",
  saveBlend: "Enregistrer la voix",
  weights: "Voix et leurs poids",
  add: "Ajouter une voix",
  hearBlend: "Écouter le mélange",
  blendHint: "L’enregistrement est gratuit. L’écoute coûte autant qu’une autre synthèse.",
  voiceNumber: "Voix {number, number}",
  weight: "Poids ({share, number} %)",
  remove: "Retirer",
  removeNumber: "Retirer la voix {number, number}",
};
