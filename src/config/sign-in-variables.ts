/** The variables of signing in with the accounts of a company, and of passwords beside them. */

/** By the headings of docs/configuration.md. */
export const SIGN_IN = {
  "Sign-in for companies": {
    LOQUAT_OIDC_ISSUER: {
      schemes: ["https:", "http:"],
      meaning:
        "The address of an OpenID Connect provider, whose users sign in here. See [sign-in-for-companies.md](sign-in-for-companies.md). The variables of further providers begin with `LOQUAT_OIDC_2_` to `LOQUAT_OIDC_9_`.",
    },
    LOQUAT_OIDC_CLIENT_ID: { values: "text", meaning: "This server's name at the provider." },
    LOQUAT_OIDC_CLIENT_SECRET: {
      values: "text",
      secret: true,
      meaning: "The client's secret; without one, the client is public.",
    },
    LOQUAT_OIDC_NAME: {
      values: "text",
      absent: "the issuer's host",
      meaning: "What the button on the sign-in page names.",
    },
    LOQUAT_OIDC_SCOPES: {
      values: "names, separated by spaces",
      fallback: "openid email profile",
      meaning: "What the provider is asked for.",
    },
    LOQUAT_OIDC_GROUPS_CLAIM: {
      values: "a name, or names with dots between them",
      fallback: "groups",
      meaning: "The claim that lists a person's groups. For example `realm_access.roles`.",
    },
    LOQUAT_OIDC_OPERATORS: {
      values: "groups, separated by commas",
      meaning: "Groups whose people operate this server, and own the organization that they join.",
    },
    LOQUAT_OIDC_ADMINS: {
      values: "groups, separated by commas",
      meaning: "Groups whose people are admins of the organization.",
    },
    LOQUAT_OIDC_MEMBERS: {
      values: "groups, separated by commas",
      meaning: "Groups whose people are members of the organization.",
    },
    LOQUAT_OIDC_ORGANIZATION: {
      values: "an id, `org_…`",
      absent: "the first one",
      meaning:
        "The organization that people join. Where no groups are named, they join one only if this is set.",
    },
    LOQUAT_OIDC_SESSION_HOURS: {
      range: [1, 720],
      fallback: "12",
      meaning: "Hours until people sign in again. Groups are read at each sign-in.",
    },
    LOQUAT_OIDC_TRUST_EMAIL: {
      choices: ["0", "1"],
      fallback: "0",
      meaning:
        "`1`: addresses count as verified though the provider does not say so. Only where people cannot choose their own address there.",
    },
    LOQUAT_AUTH_EMAIL_HEADER: {
      values: "a header, such as `Remote-Email`",
      meaning:
        "A proxy of `LOQUAT_PROXIES` signs people in, and names them by their address in this header. The groups and the organization of `LOQUAT_OIDC_` are these people's too.",
    },
    LOQUAT_AUTH_GROUPS_HEADER: {
      values: "a header, such as `Remote-Groups`",
      meaning: "Where the proxy lists a person's groups, with commas or bars between them.",
    },
    LOQUAT_AUTH_NAME_HEADER: {
      values: "a header, such as `Remote-Name`",
      meaning: "Where the proxy names the person.",
    },
    LOQUAT_PASSWORD_SIGN_IN: {
      choices: ["on", "operators", "off"],
      fallback: "on",
      meaning:
        "Who may sign in with a password. `operators`: only operators, in case the provider fails. Sign-up with one needs `on`.",
    },
  },
} as const;
