/** French messages of the set-up of a new server. */
import type { Translations } from "../en/translation.ts";

export const setUp: Translations["setUp"] = {
  title: "Configurer ce serveur",
  operates: "Ce compte exploite le serveur. Aucun e-mail n’est envoyé.",
  notSetUp: "Ce serveur n’est pas configuré",
  openLink:
    "Ouvrez le lien de configuration que le serveur a affiché au démarrage, ou affichez-en un autre sur sa machine avec <code>loquat admin link</code>.",
  linkField: "Lien de configuration ou son code",
  withoutLink:
    "Sans ce lien, la première personne qui vérifie une adresse e-mail devient l’exploitant. <link>Créer un compte</link>",
  isSetUp: "Ce serveur est configuré",
  hasOperator: "Il a déjà un exploitant. <link>Se connecter</link>",
  continue: "Continuer",

  steps: "Étapes",
  account: "Compte",
  purpose: "Usage",
  purposeTitle: "À quoi sert ce serveur ?",
  voices: "Voix",
  voicesTitle: "Écoutez les voix",
  done: "Écouter",
  doneTitle: "Votre serveur est prêt",

  forMe: "Pour moi",
  forMeText:
    "Ni crédit ni prix, seulement les limites de cette machine. Personne d’autre ne peut s’inscrire.",
  forTeam: "Pour une équipe",
  forTeamText:
    "La même chose pour toutes les personnes que vous invitez. La consommation est affichée par projet et par clé.",
  forSale: "Pour des clients",
  forSaleText:
    "Les clients s’inscrivent et paient avec un crédit prépayé. Les paiements nécessitent de configurer Stripe.",
  changeLater:
    "Vous pouvez changer cela à tout moment sous « Serveur » : les formules sur la page « Organisations », et qui peut s’inscrire sur la page « Utilisateurs ».",

  voicesText:
    "Les voix intégrées fonctionnent déjà. Les paquets de modèles ont un meilleur son et connaissent plus de langues ; ils sont téléchargés une seule fois sur ce serveur et ne nécessitent pas de redémarrage.",
  continueBuiltIn: "Continuer avec les voix intégrées",
  play: "Écouter",
  connect: "Connecter une application",
  openDashboard: "Ouvrir le tableau de bord",
  missing:
    "{count, plural, one {Un paquet n’est pas installé} other {# paquets ne sont pas installés}} : {packages}. Les voix intégrées fonctionnent. Le serveur réessaie de lui-même ; la page <link>Modèles</link> en indique la raison.",
};
