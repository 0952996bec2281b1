/** English messages of the set-up of a new server. */
import { areaTexts } from "../texts.ts";

export const setUp = {
  title: "Set up this server",
  operates: "This account operates the server. No e-mail is sent.",
  notSetUp: "This server is not set up",
  openLink:
    "Open the set-up link that the server printed when it started, or print another on its machine with <code>loquat admin link</code>.",
  linkField: "Set-up link or its code",
  withoutLink:
    "Without the link, the first person who verifies an e-mail address becomes the operator. <link>Create an account</link>",
  isSetUp: "This server is set up",
  hasOperator: "It has an operator already. <link>Sign in</link>",
  continue: "Continue",

  steps: "Steps",
  account: "Account",
  purpose: "Purpose",
  purposeTitle: "What is this server for?",
  voices: "Voices",
  voicesTitle: "Listen to the voices",
  done: "Listen",
  doneTitle: "Your server is ready",

  forMe: "For me",
  forMeText: "No credit, no prices, and the limits of this machine. No one else can sign up.",
  forTeam: "For a team",
  forTeamText: "The same for everyone you invite. Usage is shown by project and key.",
  forSale: "I sell it",
  forSaleText: "Customers sign up and pay with prepaid credit. Payments need Stripe in the configuration.",
  changeLater:
    "You can change this at any time under Server: plans on the page Organizations, who may sign up on the page Users.",

  voicesText:
    "The built-in voices work now. Model packages sound better and know more languages; they are downloaded to this server once, and need no restart.",
  continueBuiltIn: "Continue with the built-in voices",
  play: "Play it",
  connect: "Connect an application",
  openDashboard: "Open the dashboard",
  missing:
    "{count, plural, one {One package is} other {# packages are}} not installed: {packages}. The built-in voices work. The server tries again by itself; the page <link>Models</link> says why.",
} as const;

export const setUpTexts = areaTexts("setUp", setUp);
