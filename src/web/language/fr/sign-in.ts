/** French messages of the pages for signed-out people. */
import type { Translations } from "../en/translation.ts";

export const signIn: Translations["signIn"] = {
  tagline: "Synthèse vocale et transcription sur {host}",
  signIn: "Se connecter",
  email: "E-mail",
  password: "Mot de passe",
  newPassword: "Nouveau mot de passe",
  yourName: "Votre nom",
  createAccount: "Créer un compte",
  create: "Créer le compte",
  backToSignIn: "Retour à la connexion",
  goToDashboard: "Aller au tableau de bord",

  forgotPassword: "Mot de passe oublié ?",
  invited: "Vous avez une invitation ? <link>Créer un compte</link>",
  newHere: "Pas encore de compte ? <link>Créer un compte</link>",
  notApproved: "{email} n’est pas encore approuvé.",
  openLinkFirst: "Ouvrez d’abord le lien de vérification de {email}.",

  continue: "Continuer",
  back: "Retour",
  factorOver: "Dix minutes se sont écoulées depuis le mot de passe, ou trop de codes étaient incorrects.",
  signInAgain: "Se reconnecter",
  recoveryHint:
    "Sans votre téléphone, utilisez l’un de vos codes de récupération. Si vous n’en avez pas, adressez-vous à l’exploitant de ce serveur.",

  continueWith: "Continuer avec {name}",
  companyTooLong: "La connexion a pris trop de temps ou a été commencée dans une autre fenêtre. Réessayez.",
  companyUnverified:
    "Le service de connexion de votre entreprise n’a aucune adresse e-mail vérifiée à votre nom. Adressez-vous à son responsable.",
  companyClosed: "Votre compte ne peut pas utiliser ce serveur. Adressez-vous à son exploitant.",
  companyNotSignedIn: "Vous ne vous êtes pas connecté. Réessayez.",
  companyLimited: "Trop de tentatives. Réessayez plus tard.",
  companyFailed:
    "Le service de connexion de votre entreprise n’a pas répondu ou n’est pas entièrement configuré. Réessayez dans un instant ; le journal du serveur en indique la raison.",

  resetTitle: "Réinitialiser le mot de passe",
  sendReset: "Envoyer le lien",
  resetSent: "Si <b>{email}</b> a un compte, nous lui avons envoyé un lien valable une heure.",
  passwordChanged: "Mot de passe modifié",
  signedOutEverywhere: "Vous avez été déconnecté partout. Connectez-vous avec le nouveau mot de passe.",
  setNewPassword: "Définir un nouveau mot de passe",
  setPassword: "Définir le mot de passe",
  requestAnother: "Demander un autre lien",

  noMail:
    "Ce serveur n’envoie pas d’e-mails. Adressez-vous à son exploitant, qui peut approuver des comptes et créer des liens de mot de passe sur la page « Utilisateurs ».",
  sentAgain: "Renvoyé à {email}, sauf si l’adresse est déjà vérifiée.",
  resend: "Renvoyer le lien",

  haveAccount: "Vous avez déjà un compte ? <link>Se connecter</link>",
  closedFresh:
    "Les inscriptions sont fermées. Créez le premier compte sur le serveur avec <code>loquat admin create</code>.",
  closed: "Les inscriptions sont fermées. Demandez un compte à l’exploitant de ce serveur.",
  firstUser:
    "La première personne qui vérifie une adresse devient l’exploitant de ce serveur et propriétaire de sa première organisation.",
  invitedOnly:
    "Les inscriptions se font uniquement sur invitation. Utilisez l’adresse à laquelle votre invitation a été envoyée.",
  organization: "Organisation (facultatif)",
  organizationHint:
    "Elle possède vos clés, votre consommation et votre crédit. Vous pourrez la renommer plus tard.",
  checkMail: "Consultez votre messagerie",
  almostThere: "Presque terminé",
  linkSent:
    "Nous avons envoyé un lien à <b>{email}</b>. Ouvrez-le et saisissez de nouveau votre mot de passe pour vérifier l’adresse et vous connecter.",
  awaitsApproval:
    "L’exploitant de ce serveur approuve les nouveaux comptes : connectez-vous dès que <b>{email}</b> sera approuvé.",

  verifyTitle: "Vérifier votre adresse",
  otherSession:
    "Vous êtes connecté en tant que {current}. Vérifier cette adresse vous connectera en tant que <b>{email}</b>. Si vous n’avez pas créé de compte avec elle, fermez cette page.",
  replacesPassword: "Le nouveau mot de passe remplace celui choisi à l’inscription.",
  enterPassword: "Saisissez le mot de passe choisi à l’inscription.",
  verify: "Vérifier et se connecter",
  useExisting: "Utiliser le mot de passe existant",
  setNewInstead: "Définir plutôt un nouveau mot de passe",
  invalidLink: "Ce lien n’est pas valide ou a expiré",
  linkResent: "Si {email} doit encore être vérifié, nous lui avons envoyé un nouveau lien.",
  requestNew: "Si vous avez déjà vérifié l’adresse, connectez-vous. Sinon, demandez un nouveau lien.",
  sendNew: "Envoyer un nouveau lien",

  invitation: "Invitation",
  invitedHere:
    "Vous êtes invité dans une organisation de ce serveur. Pour savoir par qui, continuez avec l’adresse à laquelle l’invitation a été envoyée.",
  invitedHereAs:
    "Vous êtes invité dans une organisation de ce serveur. Pour savoir par qui, continuez avec l’adresse à laquelle l’invitation a été envoyée : <b>{email}</b>.",
  notForYou: "Cette invitation n’est pas destinée à {email}, a déjà reçu une réponse ou a expiré.",
  otherAddress: "Si elle a été envoyée à une autre de vos adresses, connectez-vous avec celle-ci.",
  otherAccount: "Utiliser un autre compte",
  declined: "Invitation refusée. {email} n’en est pas informé.",
  invites:
    "<b>{email}</b> vous invite à rejoindre <b>{organization}</b> en tant que {role, select, owner {propriétaire} admin {administrateur} other {membre}}.",
  expires: "Expire le {time}.",
  join: "Rejoindre {organization}",
  decline: "Refuser",
  joinAs: "Choisissez un nom et un mot de passe pour <b>{email}</b>. Votre compte est prêt aussitôt.",
  createAndJoin: "Créer le compte et rejoindre",
  hasAccount: "<b>{email}</b> a déjà un compte. Connectez-vous pour répondre à l’invitation.",
  linkUsed:
    "Ce lien n’est pas valide, a expiré ou a déjà été utilisé. Demandez-en un autre à la personne qui vous a invité.",
};
