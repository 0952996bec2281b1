/** A page imports its style sheet for its effect; the bundler makes a file of it. */
declare module "*.css";
