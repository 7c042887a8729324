import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { replacePlaces } from '../../src/packing/replace-places.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line program that the tests start. */
    troupeProgram: string;
  }
}

const root = join(import.meta.dirname, '../..');
const sources = join(root, 'src/cli');

/** Where the program looks for itself: it must find the bundle, as the built program finds what was built. */
const findItself = ['src/cli/daemon.ts', 'src/agents/assemble-agent.ts'].map((file) => join(root, file));

/** Lets every other module find what it looks for beside its source. */
const placeOfSource: Plugin = {
  name: 'place-of-source',
  transform: (code, id) => {
    if (!id.startsWith(root) || id.includes('node_modules') || findItself.includes(id)) return null;
    if (!code.includes('import.meta.')) return null;
    const places = {
      url: JSON.stringify(pathToFileURL(id).href),
      filename: JSON.stringify(id),
      dirname: JSON.stringify(join(id, '..')),
    };
    return replacePlaces(code, { id, places });
  },
};

/**
 * Bundles the sources of the command line program, with the packages it uses, once for all tests that start it. Node needs half a second of
 * processor time to find and link seven hundred modules, and the tests start the program hundreds of times.
 */
export default async function bundleProgram(project: TestProject): Promise<() => void> {
  // In the repository, where the program finds its package and what is not bundled.
  mkdirSync(join(root, '.vitest'), { recursive: true });
  const folder = mkdtempSync(join(root, '.vitest/program-'));
  const program = join(folder, 'cli');
  const bundle = await rolldown({
    input: join(sources, 'run-cli.ts'),
    platform: 'node',
    external: [/^@lydell\//, /^@xterm\//, /^@anthropic-ai\//, /^(web-)?tree-sitter/],
    plugins: [placeOfSource],
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  await bundle.write({ dir: program, entryFileNames: '[name].js', chunkFileNames: '[name].js' });
  await bundle.close();
  const main = readFileSync(join(sources, 'main.ts'), 'utf8');
  writeFileSync(join(program, 'main.js'), main.replace("'./run-cli.ts'", "'./run-cli.js'"));
  project.provide('troupeProgram', join(program, 'main.js'));
  return () => rmSync(folder, { recursive: true, force: true });
}
