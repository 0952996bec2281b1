/** Addresses of this server as the browser needs them, below the path at which it lies. */
import { site } from "./site.ts";

/** The base of the public API for clients. */
export const apiBase = (): string => `${location.origin}${site.base}/v1`;

/** Leaves for a page of this server, which is loaded afresh. */
export const leaveFor = (path: string): void => location.assign(site.base + path);
