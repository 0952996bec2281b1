/** Security headers of HTML pages: no resources from other hosts, no inline scripts, no framing. */
import { hostOf } from "../middleware/request-url.ts";

const policy = (connect: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src blob:",
    "manifest-src 'self'",
    `connect-src 'self'${connect}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");

/** Given the request, the page may also open WebSockets to the host it was requested from: for live transcription. */
export function pageHeaders(request: Request | null = null): Record<string, string> {
  const host = request ? hostOf(request.url) : null;
  return {
    "cache-control": "no-cache",
    "content-security-policy": policy(host === null ? "" : ` ws://${host} wss://${host}`),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), payment=()",
    "cross-origin-opener-policy": "same-origin",
  };
}
