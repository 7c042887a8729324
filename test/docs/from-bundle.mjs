// Preloaded into an example that runs: it imports the bundled library and the packages of this repository, whatever folder it stands in.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const { root, entryPoints } = JSON.parse(process.env.TROUPE_EXAMPLE ?? '{}');
const rootUrl = pathToFileURL(`${root}/`);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const source = entryPoints[specifier];
    if (source !== undefined) return { url: new URL(source, rootUrl).href, shortCircuit: true };
    const isBare = /^[@a-z]/.test(specifier) && !specifier.includes(':');
    return nextResolve(specifier, isBare ? { ...context, parentURL: rootUrl.href } : context);
  },
});
