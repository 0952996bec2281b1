/** The variables of commands that are clients of a server. */

/** By the headings of docs/configuration.md. */
export const CLIENT = {
  "Command line": {
    LOQUAT_SERVER: {
      schemes: ["https:", "http:"],
      absent: "this machine, at `PORT`",
      meaning:
        "The server that commands such as `loquat jobs` ask. `--server` goes before it; `/v1` at its end is allowed.",
    },
    LOQUAT_KEY: {
      values: "an API key",
      absent: "the first key, on the server's own machine",
      secret: true,
      meaning: "The API key with which these commands ask. The first key is read from the data directory.",
    },
  },
} as const;
