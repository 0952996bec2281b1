/** The addresses of an organization's pages. */

export const hrefOf = (organizationId: string, path: string): string => `/orgs/${organizationId}/${path}`;

/** Where people begin: members with what they can hear, others with its figures. */
export const startOf = (organizationId: string, role: string): string =>
  hrefOf(organizationId, role === "member" ? "voices" : "overview");
