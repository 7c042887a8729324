import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { readDoors } from './src/packing/doors.ts';
import { inlineWasm } from './src/packing/inline-wasm.ts';
import { keepLines } from './src/packing/keep-lines.ts';
import { lazySchemas } from './src/packing/lazy-schemas.ts';
import { replacePlaces } from './src/packing/replace-places.ts';

const root = import.meta.dirname;

/** `import` runs every getter of a module of Node's, which loads half of Node for `node:fs` and `node:util`. This does not. */
const cheapBuiltins: Plugin = {
  name: 'cheap-builtins',
  transform: (code, id) => {
    const changed = code.replace(
      /^import \{([^}]*)\} from ['"](node:[\w/]+)['"];$/gm,
      (_, names: string, module: string) =>
        `const {${toPattern(names)}} = process.getBuiltinModule('${module}');`,
    );
    return changed === code ? null : keepLines(changed, id);
  },
};

/** The names of an import as a pattern; the lines stay where they are. */
function toPattern(names: string): string {
  return names.replaceAll(/\btype \w+,?/g, '').replaceAll(/(\w+) as (\w+)/g, '$1: $2');
}

/** Modules that also work in a user's bundle, where a module may have no place at all. */
const hasOwnPlace = /\/src\/config\/installed-package\.[jt]s$|\/node_modules\/web-tree-sitter\//;

/** What a module finds by its own place is found from the part it is in. */
function oldPlaces(folder: string): Plugin {
  return {
    name: 'old-places',
    transform: (code, id) => {
      if (!code.includes('import.meta.') || hasOwnPlace.test(id)) return null;
      const place = id.startsWith(join(root, 'dist')) ? id : join(root, 'dist', relative(root, id));
      const url = `new URL(${JSON.stringify(relative(folder, place.replace(/\.ts$/, '.js')))}, import.meta.url)`;
      const toPath = `process.getBuiltinModule('node:url').fileURLToPath`;
      const places = {
        url: `${url}.href`,
        filename: `${toPath}(${url})`,
        dirname: `${toPath}(new URL('.', ${url}))`,
      };
      const changed = replacePlaces(code, { id, places });
      return keepLines(changed, id);
    },
  };
}

/**
 * The library: its doors and the parts they share, each module once, so that a class or symbol is the same behind every door. Half of
 * `import 'troupe'` was the loader, which takes a third of a millisecond for every module.
 */
const library = join(root, 'dist/library');

const rxjsFolder = join(root, 'node_modules/rxjs/dist/esm');
/** The operators of rxjs as modules. Those for Node are CommonJS, of which a bundle takes all. */
const operators = { id: join(rxjsFolder, 'index.js'), moduleSideEffects: false };
const rxjsClasses = /^internal\/(Observable|\w*Subject|Subscriber|Subscription|config|util\/\w+Error)$/;

/**
 * Puts the operators of rxjs that are used into the library, on top of the user's own classes: `events$` is an `Observable` of the rxjs
 * beside us, and two hundred modules of it are not loaded.
 */
const onUsersRxjs: Plugin = {
  name: 'on-users-rxjs',
  resolveId: (source, importer) => {
    if (source === 'rxjs') return operators;
    if (!importer?.startsWith(rxjsFolder) || !source.startsWith('.')) return null;
    const path = relative(rxjsFolder, join(dirname(importer), source));
    return rxjsClasses.test(path)
      ? { id: `rxjs/${path}`, external: true, moduleSideEffects: false }
      : { id: join(rxjsFolder, `${path}.js`), moduleSideEffects: false };
  },
};

/** Small modules that most doors need: in one part, because many doors would cut them into many. */
const basics =
  /\/src\/(config\/|process\/(describe-end|process-id)|spawn\/signal-name|tools\/(input-schema|answer-text|process-summary|dialects\/))/;

/** Returns the inputs and plugins of the library's bundle; `places` replaces `import.meta` in its modules. */
export function fromDoors(places: Plugin) {
  return {
    input: {
      ...Object.fromEntries(
        Object.entries(readDoors())
          .filter(([name]) => name !== 'react')
          .map(([name, source]) => [name, join(root, source)]),
      ),
      // The program loads it, too.
      'shell-parser': join(root, 'src/policy/shell/shell-parser.ts'),
    },
    // zod is put in, without its fifty languages: loading it took longer than all of troupe.
    external: (id: string) => /^[^./]/.test(id) && !/^(zod|rxjs|tslib|web-tree-sitter|virtual:.*)$/.test(id),
    plugins: [onUsersRxjs, cheapBuiltins, places, lazySchemas, inlineWasm],
  };
}

const forLibrary = defineConfig({
  ...fromDoors(oldPlaces(library)),
  platform: 'node',
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
  output: {
    dir: library,
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    sourcemap: true,
    codeSplitting: {
      groups: [
        // Schemas are made while their part is loaded: with zod in one of two parts that need each other, that failed.
        { name: 'zod', test: /\/node_modules\/zod\/|virtual:lazy-schema/, priority: 1 },
        { name: 'basics', test: basics, includeDependenciesRecursively: false },
      ],
    },
    // Keeps names and lines for stack traces: Node prints the whole line that throws.
    minify: { mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: false } },
  },
});

/** The hooks of React run in pages too: they share no part with the library, which uses modules of Node. */
const forPages = defineConfig({
  input: { react: join(root, 'src/react/index.ts') },
  platform: 'neutral',
  external: ['react'],
  logLevel: 'warn',
  output: {
    dir: library,
    entryFileNames: '[name].js',
    sourcemap: true,
    minify: { mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: false } },
  },
});

/**
 * The built command line program in few files, a part for each verb: Node takes half a millisecond for every module, and `troupe ps`
 * alone has fifty. `main.js`, which every Node can read, stays as the compiler has made it.
 */
const program = join(root, 'dist/src/cli');

/** The shell grammar is in the library, once for both. */
const sharedParser: Plugin = {
  name: 'shared-parser',
  resolveId: (source) =>
    source.endsWith('/shell-parser.js') ? { id: '../../library/shell-parser.js', external: true } : null,
};

/** All of `troupe ps`, and the most of what every verb needs. */
const forList =
  /\/src\/(cli\/run-cli|cli\/version|cli\/verbs\/ps|state-directory\/open-state-directory)\.[jt]s$|rolldown\/runtime/;

/** The supervisor, which `troupe run` and the daemon need whole. */
const forSupervisor =
  /\/src\/(supervisor\/create-supervisor|control\/daemon|cli\/verbs\/run\/(run-here|run-in-daemon))\.[jt]s$/;

/** Puts the operators of rxjs that are used into the program, with the classes. */
const ownRxjs: Plugin = {
  name: 'own-rxjs',
  resolveId: (source) => (source === 'rxjs' ? operators : null),
};

/** Returns the plugins of the program's bundle, and its parts: a third of the time of `troupe run` was spent on finding modules. */
export function forVerbs(places: Plugin) {
  return {
    plugins: [ownRxjs, cheapBuiltins, places, lazySchemas],
    codeSplitting: {
      groups: [
        { name: 'list', test: forList },
        { name: 'supervisor', test: forSupervisor },
      ],
    },
  };
}

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

const verbs = forVerbs(oldPlaces(program));

const forProgram = defineConfig({
  input: { 'run-cli': join(program, 'run-cli.js') },
  platform: 'node',
  // Bundles the layout engine for statecharts, so that it is no dependency of the package, and what would be hundreds of modules.
  external: (id) => /^[^./]/.test(id) && !/^(@dagrejs\/|zod|rxjs|tslib|xstate|virtual:)/.test(id),
  plugins: [sharedParser, ...verbs.plugins, inTheirPlace],
  // What `follow-process` and others share with who loads them is loaded by then.
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
  output: {
    dir: program,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: verbs.codeSplitting,
  },
});

/** The page of the inspector, with all that it needs: nothing is loaded from elsewhere. The terminal is loaded when it is shown. */
const page = join(root, 'src/inspector/page');
const withStyles: Plugin = {
  name: 'with-styles',
  generateBundle() {
    const styles = [join(page, 'style.css'), join(root, 'node_modules/@xterm/xterm/css/xterm.css')];
    const source = styles.map((path) => readFileSync(path, 'utf8')).join('\n');
    this.emitFile({ type: 'asset', fileName: 'style.css', source });
    this.emitFile({
      type: 'asset',
      fileName: 'index.html',
      source: readFileSync(join(page, 'index.html'), 'utf8'),
    });
  },
};

const forInspector = defineConfig({
  input: { main: join(page, 'main.tsx') },
  platform: 'browser',
  tsconfig: join(page, 'tsconfig.json'),
  plugins: [withStyles],
  logLevel: 'warn',
  output: {
    dir: join(root, 'dist/inspector/page'),
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    minify: true,
  },
});

export default [forLibrary, forPages, forProgram, forInspector];
