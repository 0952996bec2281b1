/** German messages of the pages for signed-out people. */
import type { Translations } from "../en/translation.ts";

export const signIn: Translations["signIn"] = {
  tagline: "Sprachausgabe und Transkription auf {host}",
  signIn: "Anmelden",
  email: "E-Mail",
  password: "Passwort",
  newPassword: "Neues Passwort",
  yourName: "Ihr Name",
  createAccount: "Konto erstellen",
  create: "Konto erstellen",
  backToSignIn: "Zurück zur Anmeldung",
  goToDashboard: "Zum Dashboard",

  forgotPassword: "Passwort vergessen?",
  invited: "Eingeladen? <link>Konto erstellen</link>",
  newHere: "Neu hier? <link>Konto erstellen</link>",
  notApproved: "{email} ist noch nicht freigegeben.",
  openLinkFirst: "Öffnen Sie zuerst den Bestätigungslink von {email}.",

  continue: "Weiter",
  back: "Zurück",
  factorOver:
    "Seit der Eingabe des Passworts sind zehn Minuten vergangen, oder es wurden zu viele falsche Codes eingegeben.",
  signInAgain: "Erneut anmelden",
  recoveryHint:
    "Ohne Ihr Telefon verwenden Sie einen Ihrer Wiederherstellungscodes. Haben Sie auch diese nicht, wenden Sie sich an den Betreiber dieses Servers.",

  continueWith: "Weiter mit {name}",
  companyTooLong:
    "Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Fenster begonnen. Versuchen Sie es erneut.",
  companyUnverified:
    "Der Anmeldedienst Ihrer Firma hat keine bestätigte E-Mail-Adresse von Ihnen. Wenden Sie sich an seine Verwaltung.",
  companyClosed: "Ihr Konto darf diesen Server nicht verwenden. Wenden Sie sich an den Betreiber.",
  companyNotSignedIn: "Sie haben sich nicht angemeldet. Versuchen Sie es erneut.",
  companyLimited: "Zu viele Versuche. Versuchen Sie es später erneut.",
  companyFailed:
    "Der Anmeldedienst Ihrer Firma hat nicht geantwortet oder ist nicht vollständig eingerichtet. Versuchen Sie es gleich noch einmal; der Grund steht im Protokoll des Servers.",

  resetTitle: "Passwort zurücksetzen",
  sendReset: "Link senden",
  resetSent:
    "Falls <b>{email}</b> ein Konto hat, haben wir einen Link dorthin gesendet, der eine Stunde lang gilt.",
  passwordChanged: "Passwort geändert",
  signedOutEverywhere: "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
  setNewPassword: "Neues Passwort festlegen",
  setPassword: "Passwort festlegen",
  requestAnother: "Neuen Link anfordern",

  noMail:
    "Dieser Server versendet keine E-Mails. Wenden Sie sich an den Betreiber, der auf der Seite „Benutzer“ Konten freigeben und Links für Passwörter erstellen kann.",
  sentAgain: "Erneut an {email} gesendet, sofern die Adresse noch nicht bestätigt ist.",
  resend: "Link erneut senden",

  haveAccount: "Sie haben schon ein Konto? <link>Anmelden</link>",
  closedFresh:
    "Die Registrierung ist geschlossen. Erstellen Sie das erste Konto auf dem Server mit <code>loquat admin create</code>.",
  closed: "Die Registrierung ist geschlossen. Bitten Sie den Betreiber dieses Servers um ein Konto.",
  firstUser:
    "Wer als Erstes eine Adresse bestätigt, wird Betreiber dieses Servers und Inhaber der ersten Organisation.",
  invitedOnly:
    "Die Registrierung ist nur mit Einladung möglich. Verwenden Sie die Adresse, an die Ihre Einladung ging.",
  organization: "Organisation (optional)",
  organizationHint: "Ihr gehören Schlüssel, Nutzung und Guthaben. Sie können sie später umbenennen.",
  checkMail: "Prüfen Sie Ihr Postfach",
  almostThere: "Fast fertig",
  linkSent:
    "Wir haben einen Link an <b>{email}</b> gesendet. Öffnen Sie ihn und geben Sie Ihr Passwort erneut ein, um die Adresse zu bestätigen und sich anzumelden.",
  awaitsApproval:
    "Der Betreiber dieses Servers gibt neue Konten frei: Melden Sie sich an, sobald <b>{email}</b> freigegeben ist.",

  verifyTitle: "Adresse bestätigen",
  otherSession:
    "Sie sind als {current} angemeldet. Wenn Sie diese Adresse bestätigen, werden Sie stattdessen als <b>{email}</b> angemeldet. Wenn Sie damit kein Konto erstellt haben, schließen Sie diese Seite.",
  replacesPassword: "Das neue Passwort ersetzt das bei der Registrierung gewählte.",
  enterPassword: "Geben Sie das Passwort ein, das Sie bei der Registrierung gewählt haben.",
  verify: "Bestätigen und anmelden",
  useExisting: "Vorhandenes Passwort verwenden",
  setNewInstead: "Stattdessen neues Passwort festlegen",
  invalidLink: "Dieser Link ist ungültig oder abgelaufen",
  linkResent: "Falls {email} noch bestätigt werden muss, haben wir einen neuen Link dorthin gesendet.",
  requestNew:
    "Wenn Sie die Adresse bereits bestätigt haben, melden Sie sich an. Fordern Sie andernfalls einen neuen Link an.",
  sendNew: "Neuen Link senden",

  invitation: "Einladung",
  invitedHere:
    "Sie sind in eine Organisation auf diesem Server eingeladen. Um zu sehen, von wem, fahren Sie mit der Adresse fort, an die die Einladung ging.",
  invitedHereAs:
    "Sie sind in eine Organisation auf diesem Server eingeladen. Um zu sehen, von wem, fahren Sie mit der Adresse fort, an die die Einladung ging: <b>{email}</b>.",
  notForYou: "Diese Einladung gilt nicht für {email}, wurde schon beantwortet oder ist abgelaufen.",
  otherAddress: "Wenn sie an eine andere Ihrer Adressen ging, melden Sie sich mit dieser an.",
  otherAccount: "Anderes Konto verwenden",
  declined: "Einladung abgelehnt. {email} wird nicht benachrichtigt.",
  invites:
    "<b>{email}</b> lädt Sie ein, <b>{organization}</b> als {role, select, owner {Inhaber} admin {Administrator} other {Mitglied}} beizutreten.",
  expires: "Gültig bis {time}.",
  join: "{organization} beitreten",
  decline: "Ablehnen",
  joinAs: "Wählen Sie einen Namen und ein Passwort für <b>{email}</b>. Ihr Konto ist sofort bereit.",
  createAndJoin: "Konto erstellen und beitreten",
  hasAccount: "<b>{email}</b> hat schon ein Konto. Melden Sie sich an, um die Einladung zu beantworten.",
  linkUsed:
    "Dieser Link ist ungültig, abgelaufen oder wurde schon benutzt. Bitten Sie die Person, die Sie eingeladen hat, um einen neuen.",
};
