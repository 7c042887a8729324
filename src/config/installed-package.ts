import { createRequire } from 'node:module';

/**
 * Loads a package when it is used, from the first place that has it: troupe's own folder, then the folder of the running program. The two
 * differ for a program that was bundled and moved. Bundlers do not see the name, so optional and native packages stay outside a bundle.
 *
 * @throws the error of the first place if neither has the package.
 */
export function loadInstalled(name: string): unknown {
  return fromFirstPlace((require) => require(name));
}

/**
 * Returns the path of a file that a package exports, such as `troupe/package.json`.
 *
 * @throws as `loadInstalled`.
 */
export function findInstalled(specifier: string): string {
  return fromFirstPlace((require) => require.resolve(specifier));
}

/** Returns the address of the file this module is in; `undefined` in a bundle in CommonJS. */
export function ownAddress(): string | undefined {
  return import.meta.url;
}

function fromFirstPlace<T>(use: (require: NodeJS.Require) => T): T {
  const errors: unknown[] = [];
  for (const place of [ownAddress(), process.argv[1]]) {
    if (place === undefined) continue;
    try {
      return use(createRequire(place));
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0] ?? new Error('The running program has no address from which a package could be found.');
}
