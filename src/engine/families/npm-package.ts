/** Whether an optional npm package is installed, found without loading it. */

/** What `doctor` names as missing; null where the package is installed. */
export function missingPackage(name: string): string | null {
  try {
    import.meta.resolve(name);
    return null;
  } catch {
    return `the package ${name}`;
  }
}
