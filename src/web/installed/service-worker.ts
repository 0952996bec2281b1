/** The service worker of the installed app: a page that says so while the server cannot be reached. It keeps nothing. */

type FetchEvent = Event & { request: Request; respondWith(response: Promise<Response>): void };

const OFFLINE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta http-equiv="refresh" content="10">
  <title>Not connected · Loquat</title>
  <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 34em; margin: 20vh auto 0; padding: 0 20px; }
    a { display: inline-block; margin-top: 8px; }
  </style>
  <main>
    <h1>The server cannot be reached</h1>
    <p>It is switched off or restarting, or this device is in another network. This page tries again every 10 seconds.</p>
    <a href="">Try again</a>
  </main>
</html>`;

addEventListener("fetch", (event) => {
  const navigation = event as FetchEvent;
  if (navigation.request.mode !== "navigate") return;
  const headers = { "content-type": "text/html; charset=utf-8" };
  const offline = () => new Response(OFFLINE, { status: 503, headers });
  navigation.respondWith(fetch(navigation.request).catch(offline));
});
