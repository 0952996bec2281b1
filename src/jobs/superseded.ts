/** Another node does the job, or it has ended: what this one found is of no use. */
export class Superseded extends Error {}
