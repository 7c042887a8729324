import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/**
 * Puts the built command line program into few files, a part for each verb: Node takes half a millisecond for every module, and `troupe ps`
 * alone has fifty. The library stays as the compiler has made it, and `main.js`, too, which every Node can read.
 */
const program = join(import.meta.dirname, 'dist/src/cli');

/** All of `troupe ps`, and the most of what every verb needs. */
const forList =
  /\/src\/(cli\/run-cli|cli\/version|cli\/verbs\/ps|state-directory\/open-state-directory)\.js$|rolldown\/runtime/;

/** `import` runs every getter of a module of Node's, which loads half of Node for `node:fs` and `node:util`. This does not. */
const cheapBuiltins: Plugin = {
  name: 'cheap-builtins',
  transform: (code) =>
    code.replace(
      /^import \{([^}]*)\} from ['"](node:[\w/]+)['"];$/gm,
      (_, names: string, module: string) =>
        `const {${names.replaceAll(/(\w+) as (\w+)/g, '$1: $2')}} = process.getBuiltinModule('${module}');`,
    ),
};

/** What a module finds by its own place is found from the part it is in. */
const oldPlaces: Plugin = {
  name: 'old-places',
  transform: (code, id) => {
    const url = `new URL(${JSON.stringify(relative(program, id))}, import.meta.url)`;
    const toPath = `process.getBuiltinModule('node:url').fileURLToPath`;
    return code
      .replaceAll('import.meta.url', `${url}.href`)
      .replaceAll('import.meta.filename', `${toPath}(${url})`)
      .replaceAll('import.meta.dirname', `${toPath}(new URL('.', ${url}))`);
  },
};

/** The parts take the place of the modules they are made of. */
const inTheirPlace: Plugin = {
  name: 'in-their-place',
  generateBundle: (_, parts) => {
    if ('main.js' in parts) throw new Error('a part is called main.js, as the program is');
    const list = parts['list.js'];
    const packages = list?.type === 'chunk' ? list.imports.filter((name) => !(name in parts)) : ['nothing'];
    if (packages.length > 0) throw new Error(`\`troupe ps\` would load ${packages.join(', ')}`);
    const modules = readdirSync(program).filter((name) => name !== 'main.js');
    for (const name of modules) rmSync(join(program, name), { recursive: true });
  },
};

export default defineConfig({
  input: { 'run-cli': join(program, 'run-cli.js') },
  platform: 'node',
  external: /^[^./]/,
  plugins: [cheapBuiltins, oldPlaces, inTheirPlace],
  // What `follow-process` and others share with who loads them is loaded by then.
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
  output: {
    dir: program,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [{ name: 'list', test: forList }],
    },
  },
});
