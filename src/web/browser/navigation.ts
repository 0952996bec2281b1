/** The addresses of an organization's pages. */

export const hrefOf = (organizationId: string, path: string): string => `/orgs/${organizationId}/${path}`;
