/** Spanish messages of the pages for signed-out people. */
import type { Translations } from "../en/translation.ts";

export const signIn: Translations["signIn"] = {
  tagline: "Síntesis de voz y transcripción en {host}",
  signIn: "Iniciar sesión",
  email: "Correo electrónico",
  password: "Contraseña",
  newPassword: "Nueva contraseña",
  yourName: "Su nombre",
  createAccount: "Crear una cuenta",
  create: "Crear cuenta",
  backToSignIn: "Volver al inicio de sesión",
  goToDashboard: "Ir al panel",

  forgotPassword: "¿Ha olvidado su contraseña?",
  invited: "¿Tiene una invitación? <link>Crear una cuenta</link>",
  newHere: "¿No tiene cuenta? <link>Crear una cuenta</link>",
  notApproved: "{email} todavía no está aprobado.",
  openLinkFirst: "Abra primero el enlace de verificación de {email}.",

  continue: "Continuar",
  back: "Atrás",
  factorOver: "Han pasado diez minutos desde la contraseña o hubo demasiados códigos incorrectos.",
  signInAgain: "Volver a iniciar sesión",
  recoveryHint:
    "Si no tiene su teléfono, use uno de sus códigos de recuperación. Si tampoco los tiene, consulte al operador de este servidor.",

  continueWith: "Continuar con {name}",
  companyTooLong: "El inicio de sesión tardó demasiado o se comenzó en otra ventana. Inténtelo de nuevo.",
  companyUnverified:
    "El inicio de sesión de su empresa no tiene ninguna dirección de correo verificada suya. Consulte a quien lo administra.",
  companyClosed: "Su cuenta no puede usar este servidor. Consulte al operador.",
  companyNotSignedIn: "No ha iniciado sesión. Inténtelo de nuevo.",
  companyLimited: "Demasiados intentos. Inténtelo más tarde.",
  companyFailed:
    "El inicio de sesión de su empresa no respondió o no está configurado por completo. Inténtelo de nuevo en un momento; el motivo figura en el registro del servidor.",

  resetTitle: "Restablecer la contraseña",
  sendReset: "Enviar enlace",
  resetSent: "Si <b>{email}</b> tiene una cuenta, le hemos enviado un enlace válido durante una hora.",
  passwordChanged: "Contraseña cambiada",
  signedOutEverywhere: "Se han cerrado todas sus sesiones. Inicie sesión con la nueva contraseña.",
  setNewPassword: "Establecer una nueva contraseña",
  setPassword: "Establecer contraseña",
  requestAnother: "Solicitar otro enlace",

  noMail:
    "Este servidor no envía correo electrónico. Consulte al operador, que puede aprobar cuentas y crear enlaces de contraseña en la página «Usuarios».",
  sentAgain: "Enviado de nuevo a {email}, salvo que ya esté verificado.",
  resend: "Reenviar el enlace",

  haveAccount: "¿Ya tiene una cuenta? <link>Iniciar sesión</link>",
  closedFresh:
    "El registro está cerrado. Cree la primera cuenta en el servidor con <code>loquat admin create</code>.",
  closed: "El registro está cerrado. Solicite una cuenta al operador de este servidor.",
  firstUser:
    "La primera persona que verifique una dirección será el operador de este servidor y propietaria de su primera organización.",
  invitedOnly: "El registro es solo por invitación. Use la dirección a la que se envió su invitación.",
  organization: "Organización (opcional)",
  organizationHint:
    "A ella pertenecen sus claves, el uso y el crédito. Puede cambiarle el nombre más adelante.",
  checkMail: "Revise su correo",
  almostThere: "Casi listo",
  linkSent:
    "Hemos enviado un enlace a <b>{email}</b>. Ábralo y vuelva a introducir su contraseña para verificar la dirección e iniciar sesión.",
  awaitsApproval:
    "El operador de este servidor aprueba las cuentas nuevas: inicie sesión cuando <b>{email}</b> esté aprobado.",

  verifyTitle: "Verificar su dirección",
  otherSession:
    "Ha iniciado sesión como {current}. Si verifica esta dirección, pasará a la cuenta <b>{email}</b>. Si no creó una cuenta con ella, cierre esta página.",
  replacesPassword: "La nueva contraseña sustituye a la elegida al registrarse.",
  enterPassword: "Introduzca la contraseña que eligió al registrarse.",
  verify: "Verificar e iniciar sesión",
  useExisting: "Usar la contraseña existente",
  setNewInstead: "Establecer otra contraseña",
  invalidLink: "Este enlace no es válido o ha caducado",
  linkResent: "Si {email} aún debe verificarse, le hemos enviado un nuevo enlace.",
  requestNew: "Si ya verificó la dirección, inicie sesión. De lo contrario, solicite un nuevo enlace.",
  sendNew: "Enviar un nuevo enlace",

  invitation: "Invitación",
  invitedHere:
    "Tiene una invitación a una organización de este servidor. Para ver de quién, continúe con la dirección a la que se envió la invitación.",
  invitedHereAs:
    "Tiene una invitación a una organización de este servidor. Para ver de quién, continúe con la dirección a la que se envió la invitación: <b>{email}</b>.",
  notForYou: "Esta invitación no es para {email}, ya se respondió o ha caducado.",
  otherAddress: "Si se envió a otra de sus direcciones, inicie sesión con esa.",
  otherAccount: "Usar otra cuenta",
  declined: "Invitación rechazada. No se avisa a {email}.",
  invites:
    "<b>{email}</b> le invita a unirse a <b>{organization}</b> como {role, select, owner {propietario} admin {administrador} other {miembro}}.",
  expires: "Caduca el {time}.",
  join: "Unirse a {organization}",
  decline: "Rechazar",
  joinAs: "Elija un nombre y una contraseña para <b>{email}</b>. Su cuenta estará lista al instante.",
  createAndJoin: "Crear la cuenta y unirse",
  hasAccount: "<b>{email}</b> ya tiene una cuenta. Inicie sesión para responder a la invitación.",
  linkUsed: "Este enlace no es válido, ha caducado o ya se usó. Solicite otro a la persona que le invitó.",
};
