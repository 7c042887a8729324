import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { forVerbs, fromDoors } from '../rolldown.config.ts';
import { inlineWasm } from '../src/packing/inline-wasm.ts';
import { replacePlaces } from '../src/packing/replace-places.ts';

const root = join(import.meta.dirname, '..');

/** Module that starts daemons with the program's own file. Its `import.meta` is kept, so that daemons run the bundle. */
const findsItself = join(root, 'src/cli/open-daemon.ts');

/** Module that names the program of delegates, and the path in it that the bundle replaces. */
const findsExec = { file: join(root, 'src/agents/own-exec-command.ts'), source: 'src/cli/main.ts' };

/** Points `import.meta` of every other module to its source, whose neighbours it loads. */
const placeOfSource: Plugin = {
  name: 'place-of-source',
  transform: (code, id) => {
    if (!id.startsWith(root) || id.includes('node_modules') || id === findsItself) return null;
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
 * Bundles the programs that tests start, once per run: the command line program, the library for the documentation's examples, and the
 * programs in `test/fixtures`. Node needs half a second of processor time to find, strip and link seven hundred modules, and the tests start
 * programs hundreds of times. `TROUPE_TEST_PROGRAMS` names the folder.
 */
export default async function bundlePrograms(): Promise<() => void> {
  // In the repository, where the programs find their package and what is not bundled.
  mkdirSync(join(root, '.vitest'), { recursive: true });
  const folder = mkdtempSync(join(root, '.vitest/programs-'));
  // Some tests start them as another user.
  chmodSync(folder, 0o755);
  await Promise.all([bundleCommandLine(join(folder, 'cli')), bundleLibrary(join(folder, 'library'))]);
  process.env['TROUPE_TEST_PROGRAMS'] = folder;
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // An interrupted run has no teardown.
  process.once('exit', remove);
  return remove;
}

async function bundleCommandLine(folder: string): Promise<void> {
  const found = new Set<string>();
  const { plugins, codeSplitting } = forVerbs(placeOfSource);
  const ownPrograms: Plugin = {
    name: 'own-programs',
    transform: (code, id) => {
      if (id === findsItself && code.includes('import.meta.')) found.add(id);
      if (id !== findsExec.file || !code.includes(findsExec.source)) return null;
      found.add(id);
      return code.replace(findsExec.source, relative(root, join(folder, 'main.js')));
    },
  };
  await write(folder, {
    input: join(root, 'src/cli/run-cli.ts'),
    external: [/^@lydell\//, /^@xterm\//, /^@anthropic-ai\//, /^(web-)?tree-sitter/],
    plugins: [ownPrograms, ...plugins],
    codeSplitting,
  });
  // Otherwise daemons and delegates would silently run from the sources, which is slow.
  if (found.size < 2)
    throw new Error(
      'a module that starts the program has moved or changed: update findsItself and findsExec',
    );
  const main = readFileSync(join(root, 'src/cli/main.ts'), 'utf8');
  writeFileSync(join(folder, 'main.js'), main.replace("'./run-cli.ts'", "'./run-cli.js'"));
}

async function bundleLibrary(folder: string): Promise<void> {
  const fixtures = join(root, 'test/fixtures/programs');
  const programs = [
    ...readdirSync(fixtures).map((name) => join(fixtures, name)),
    join(root, 'test/soak/crash-host.ts'),
  ].filter((path) => path.endsWith('.ts'));
  const { input, external, plugins } = fromDoors(placeOfSource);
  await write(folder, {
    input: { ...input, ...Object.fromEntries(programs.map((path) => [basename(path, '.ts'), path])) },
    // The shell grammar is read from its package: compressing it takes seconds.
    external: (id) => /^(web-)?tree-sitter/.test(id) || external(id),
    plugins: plugins.filter((plugin) => plugin !== inlineWasm),
  });
}

async function write(
  folder: string,
  { codeSplitting, ...options }: InputOptions & Pick<OutputOptions, 'codeSplitting'>,
): Promise<void> {
  const bundle = await rolldown({
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
    ...options,
  });
  await bundle.write({
    ...{ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    ...(codeSplitting !== undefined && { codeSplitting }),
  });
  await bundle.close();
}
