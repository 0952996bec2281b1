/** `modules` is the path of node_modules, `bun` that of Bun's binary. False where a package stays as it was. */
export function joinModules(modules: string, bun: string): boolean;
