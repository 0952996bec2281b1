/** The error codes of requests that are refused for how they were sent, before what they ask for. */

export const HTTP_CODES = {
  malformed_request: {
    status: 400,
    meaning: "The request is not valid HTTP, such as one with two Host headers.",
    message: "A request has exactly one Host header.",
  },
  https_required: {
    status: 400,
    meaning: "The server takes https, and was asked by plain http.",
    message: "This server takes https only: https://192.168.1.20:8080/v1/models.",
  },
  unsupported_content_encoding: {
    status: 415,
    meaning: "The body is compressed. Bodies are read uncompressed only.",
    message: "Bodies are not read in Content-Encoding: gzip. Send the body uncompressed.",
  },
} as const;
