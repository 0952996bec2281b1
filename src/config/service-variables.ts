/** The variables of what is offered: models, engines, accounts, voices and payments. */
import { PLANS } from "../plans.ts";
import { SIGN_UP } from "../sign-up-policy.ts";

const WEB = ["https:", "http:"] as const;

/** By the headings of docs/configuration.md. */
export const SERVICE = {
  "Models and engines": {
    LOQUAT_MODELS: {
      values: "a directory",
      fallback: "models/",
      meaning: "The directory of model manifests. One JSON file per model version.",
    },
    LOQUAT_WEIGHTS: {
      values: "a directory",
      fallback: "./weights",
      meaning: "The directory of installed model packages.",
    },
    LOQUAT_MIRROR: {
      schemes: WEB,
      meaning:
        "A URL prepended to every download. `https://mirror.example/` downloads `https://mirror.example/huggingface.co/…`.",
    },
    LOQUAT_PULL: {
      values: "names, separated by commas",
      meaning: "Packages to install at start, or `recommended`. See [models.md](models.md#install-packages).",
    },
    LOQUAT_ACCEPT_LICENSES: {
      values: "names, separated by commas",
      meaning: "Packages of `LOQUAT_PULL` whose restrictive licences you have read and accept.",
    },
    LOQUAT_DEVICE: {
      choices: ["auto", "cpu", "cuda", "webgpu", "coreml"],
      fallback: "auto",
      meaning: "What engines run on. An unavailable device logs one warning and falls back.",
    },
    LD_LIBRARY_PATH: {
      values: "directories",
      meaning: "The system's own: where it looks for the libraries of CUDA and cuDNN.",
    },
    LOQUAT_THREADS: {
      range: [1, 256],
      absent: "number of cores",
      meaning: "Threads, or processes, of each kind of engine.",
    },
    LOQUAT_MEMORY_MB: {
      range: [256, 1_000_000],
      fallback: "512",
      meaning:
        "Megabytes of audio, and of conversations, that requests may hold in memory. This is for all of them; one organization may use half of it. Further uploads [wait](clients.md#waiting).",
    },
    LOQUAT_UNLOAD_MINUTES: {
      range: [0, 100_000],
      fallback: "30",
      meaning:
        "Idle minutes until a package is unloaded; 0: never. It loads again on its next use. PocketSphinx: 2 minutes at most.",
    },
    LOQUAT_LLM_URL: {
      schemes: WEB,
      meaning:
        "A language model server, for [conversations](conversations.md). For example `http://ollama:11434`; `/v1` at its end is allowed.",
    },
    LOQUAT_LLM_MODEL: {
      values: "a name",
      absent: "the only one that it lists",
      meaning: "The server's name of the model.",
    },
    LOQUAT_LLM_KEY: { values: "text", secret: true, meaning: "The key that the server asks for." },
    LOQUAT_LLM_API: {
      values: "a preset, such as `ollama`",
      absent: "found by asking",
      meaning: "The preset that describes the server. See [upstreams.md](upstreams.md#language-models).",
    },
  },
  "Accounts, voices and payments": {
    LOQUAT_SIGN_UP: {
      choices: SIGN_UP,
      absent: "as chosen when the server was set up, and on the page Users",
      meaning: "Who may sign up. `closed`: accounts are created by `loquat admin create` only.",
    },
    LOQUAT_SIGN_UP_DOMAINS: {
      values: "domains, separated by commas",
      absent: "all",
      meaning: "E-mail domains that may sign up. Invited addresses always may.",
    },
    LOQUAT_SECRET: {
      values: "32 random characters or more",
      absent: "generated",
      secret: true,
      meaning:
        "Signs cookies and links in mails, encrypts voices and second factors. Without it, one is generated and kept in the database.",
    },
    LOQUAT_OPERATORS_TWO_FACTOR: {
      choices: ["0", "1"],
      fallback: "0",
      meaning:
        "`1`: operators need a second factor. Until they have one, they see their account page only. See [two-factor.md](two-factor.md).",
    },
    SMTP_URL: {
      schemes: ["smtp:", "smtps:"],
      secret: true,
      meaning:
        "The mail server. For example `smtp://user:password@host:587`. Without it, each mail is a file in `data/mail/`.",
    },
    MAIL_FROM: { values: "text", fallback: "Loquat <loquat@localhost>", meaning: "The sender of mails." },
    LOQUAT_VOICE_CLONING: {
      choices: ["on", "off"],
      fallback: "on",
      meaning:
        "`off`: no voices are made of recordings, and none is spoken with. See [voices.md](voices.md).",
    },
    LOQUAT_VOICES_MAX: {
      range: [0, 10_000],
      fallback: "100",
      meaning: "How many voices of its own each organization may have, and as many consents.",
    },
    LOQUAT_REQUEST_LOG_DAYS: {
      range: [1, 90],
      fallback: "90",
      meaning:
        "For how many days requests are logged. Organizations may choose fewer. See [privacy.md](privacy.md).",
    },
    LOQUAT_KEY_MAX_DAYS: {
      range: [1, 36_500],
      absent: "keys may last forever",
      meaning: "The most days that new API keys last. Organizations may choose fewer.",
    },
    LOQUAT_PLAN: {
      choices: PLANS,
      fallback: "unmetered",
      meaning:
        "The plan of organizations that operators create. With Stripe it is `prepaid` by default. See [billing.md](billing.md).",
    },
    STRIPE_SECRET_KEY: {
      values: "text",
      secret: true,
      meaning: "Enables payments. Set together with `STRIPE_WEBHOOK_SECRET`. See [billing.md](billing.md).",
    },
    STRIPE_WEBHOOK_SECRET: {
      values: "text",
      secret: true,
      meaning: "Verifies the signature of Stripe's webhooks.",
    },
    STRIPE_INVOICES: {
      choices: ["0", "1"],
      fallback: "0",
      meaning: "`1`: Stripe makes an invoice of each payment. See [billing.md](billing.md#invoices-and-tax).",
    },
    STRIPE_TAX: {
      choices: ["0", "1"],
      fallback: "0",
      meaning: "`1`: Stripe Tax adds tax to the price. Needs `STRIPE_INVOICES=1`.",
    },
    STRIPE_TAX_CODE: {
      values: "a tax code, such as `txcd_10103001`",
      absent: "that of the Stripe account",
      meaning: "Stripe's tax code of credit.",
    },
    STRIPE_API_URL: {
      schemes: WEB,
      absent: "Stripe's API",
      meaning: "Another address of Stripe's API, for tests against a stand-in.",
    },
  },
} as const;
