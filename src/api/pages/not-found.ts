/** The page of an address that does not exist, for people who look at it in a browser. It needs no other file. */
const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1.5rem}h1{font-size:1.5rem}";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** `message`: plain text. `base`: the path below which the pages are. */
export function notFoundPage(message: string, base: string): Response {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found · Loquat</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>${Bun.escapeHTML(message)}</p>
<p><a href="${base}/">Dashboard</a> · <a href="${base}/playground">Playground</a> · <a href="${base}/docs">API documentation</a></p>
</main>
</body>
</html>
`;
  return new Response(page, { status: 404, headers: HEADERS });
}
