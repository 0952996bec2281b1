/** Whether `modules`, the path of node_modules, was pruned. */
export function isPruned(modules: string): boolean;
export function prune(modules: string): void;
