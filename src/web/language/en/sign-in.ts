/** English messages of the pages for signed-out people: signing in and up, verification, passwords, invitations. */
import { areaTexts } from "../texts.ts";

export const signIn = {
  tagline: "Text to speech and transcription on {host}",
  signIn: "Sign in",
  email: "E-mail",
  password: "Password",
  newPassword: "New password",
  yourName: "Your name",
  createAccount: "Create an account",
  create: "Create account",
  backToSignIn: "Back to sign in",
  goToDashboard: "Go to the dashboard",

  forgotPassword: "Forgot your password?",
  invited: "Invited? <link>Create an account</link>",
  newHere: "New here? <link>Create an account</link>",
  notApproved: "{email} is not approved yet.",
  openLinkFirst: "Open the verification link of {email} first.",

  continue: "Continue",
  back: "Back",
  factorOver: "Ten minutes have passed since your password, or too many codes were wrong.",
  signInAgain: "Sign in again",
  recoveryHint:
    "Without your phone, use one of your recovery codes. Without those, ask the operator of this server.",

  continueWith: "Continue with {name}",
  companyTooLong: "The sign-in took too long, or was begun in another window. Try again.",
  companyUnverified: "Your company's sign-in has no verified e-mail address of yours. Ask who runs it.",
  companyClosed: "Your account may not use this server. Ask its operator.",
  companyNotSignedIn: "You did not sign in. Try again.",
  companyLimited: "Too many attempts. Try again later.",
  companyFailed:
    "Your company's sign-in did not answer, or is not set up completely. Try again in a moment; the server's log says why.",

  resetTitle: "Reset your password",
  sendReset: "Send reset link",
  resetSent: "If <b>{email}</b> has an account, we sent it a link that is valid for one hour.",
  passwordChanged: "Password changed",
  signedOutEverywhere: "You have been signed out everywhere. Sign in with the new password.",
  setNewPassword: "Set a new password",
  setPassword: "Set password",
  requestAnother: "Request another link",

  noMail:
    "This server sends no e-mail. Ask its operator, who can approve accounts and make password links on the page Users.",
  sentAgain: "Sent again to {email}, unless it is already verified.",
  resend: "Resend the link",

  haveAccount: "Already have an account? <link>Sign in</link>",
  closedFresh:
    "Sign-up is closed. Create the first account on the server with <code>loquat admin create</code>.",
  closed: "Sign-up is closed. Ask the operator of this server for an account.",
  firstUser:
    "The first user to verify an address becomes the operator of this server and the owner of its first organization.",
  invitedOnly: "Sign-up is by invitation only. Use the address your invitation was sent to.",
  organization: "Organization (optional)",
  organizationHint: "Owns your keys, usage and credit. You can rename it later.",
  checkMail: "Check your e-mail",
  almostThere: "Almost there",
  linkSent:
    "We sent a link to <b>{email}</b>. Open it and enter your password again to verify the address and sign in.",
  awaitsApproval:
    "The operator of this server approves new accounts: sign in once <b>{email}</b> is approved.",

  verifyTitle: "Verify your address",
  otherSession:
    "You are signed in as {current}. Verifying this address signs you in as <b>{email}</b> instead. If you did not create an account with it, close this page.",
  replacesPassword: "The new password replaces the one chosen at sign-up.",
  enterPassword: "Enter the password you chose when you signed up.",
  verify: "Verify and sign in",
  useExisting: "Use the existing password",
  setNewInstead: "Set a new password instead",
  invalidLink: "This link is invalid or has expired",
  linkResent: "If {email} still needs to be verified, we sent it a new link.",
  requestNew: "If you have already verified the address, sign in. Otherwise request a new link.",
  sendNew: "Send a new link",

  invitation: "Invitation",
  invitedHere:
    "You are invited to an organization on this server. To see by whom, continue with the address that the invitation was sent to.",
  invitedHereAs:
    "You are invited to an organization on this server. To see by whom, continue with the address that the invitation was sent to: <b>{email}</b>.",
  notForYou: "This invitation is not for {email}, was already answered, or has expired.",
  otherAddress: "If it was sent to another of your addresses, sign in with that one.",
  otherAccount: "Use another account",
  declined: "Invitation declined. {email} is not notified.",
  invites:
    "<b>{email}</b> invites you to join <b>{organization}</b> as {role, select, owner {owner} admin {admin} other {member}}.",
  expires: "Expires on {time}.",
  join: "Join {organization}",
  decline: "Decline",
  joinAs: "Choose a name and a password for <b>{email}</b>. Your account is ready at once.",
  createAndJoin: "Create account and join",
  hasAccount: "<b>{email}</b> has an account. Sign in to answer the invitation.",
  linkUsed: "This link is invalid, has expired or was used. Ask the person who invited you for another one.",
} as const;

export const signInTexts = areaTexts("signIn", signIn);
