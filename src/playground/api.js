/** The public API with a key: nothing here that a client elsewhere could not do. */

const KEPT = "loquat-key";

export const base = `${location.origin}/v1`;

/** Made for whoever is signed in, and gone with the page. */
let lent = "";

export function lendKey(secret) {
  lent = secret;
}

export function key() {
  return lent || (sessionStorage.getItem(KEPT) ?? "");
}

export function useKey(pasted) {
  sessionStorage.setItem(KEPT, pasted.trim());
}

/** Answers the response, or throws what the server says is wrong. */
export async function ask(path, init = {}) {
  const response = await fetch(base + path, {
    ...init,
    headers: { authorization: `Bearer ${key()}`, ...init.headers },
  });
  if (response.ok) return response;
  const { error } = await response.json();
  throw new Error(`${error.message} (${error.code}, ${error.request_id})`);
}

export const json = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Says something under a card, red where it is bad. */
export function tell(id, message, isBad = false) {
  const status = document.getElementById(id);
  status.textContent = message;
  status.classList.toggle("bad", isBad);
}
