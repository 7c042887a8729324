import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { rolldown } from 'rolldown';
import { build as vite } from 'vite';
import { afterAll, expect, test } from 'vitest';
import webpack from 'webpack';
import { runSmoke, writeSmoke } from '../support/run-smoke.ts';

const program = writeSmoke(import.meta.dirname);

/** A bundler says nothing about the program: no error, no warning. Returns the file to run. */
type Bundler = (folder: string) => Promise<string>;

/** Builds for Node with esbuild's defaults. */
async function buildByEsbuild(outfile: string, format?: 'esm'): Promise<string> {
  const target = format === undefined ? {} : { format };
  const { warnings } = await esbuild({
    entryPoints: [program],
    bundle: true,
    platform: 'node',
    outfile,
    logLevel: 'silent',
    ...target,
  });
  expect(warnings).toEqual([]);
  return outfile;
}

/** The minimal settings with which each bundler builds for Node. */
const bundlers: Readonly<Record<string, Bundler>> = {
  'esbuild as CommonJS': (folder) => buildByEsbuild(join(folder, 'program.cjs')),
  'esbuild as a module': (folder) => buildByEsbuild(join(folder, 'program.mjs'), 'esm'),
  webpack: async (folder) => {
    const remarks = await new Promise<string>((resolve, reject) => {
      const output = { path: folder, filename: 'program.cjs' };
      webpack({ entry: program, target: 'node', mode: 'production', output }, (error, stats) => {
        if (error !== null) reject(error);
        else resolve(stats?.hasErrors() || stats?.hasWarnings() ? stats.toString() : '');
      });
    });
    expect(remarks).toBe('');
    return join(folder, 'program.cjs');
  },
  // By default Vite does not bundle installed packages; this setting does.
  'Vite SSR': async (folder) => {
    const remarks: string[] = [];
    await vite({
      root: import.meta.dirname,
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: {
        ssr: program,
        outDir: folder,
        emptyOutDir: true,
        rolldownOptions: { onLog: (_, { message }) => remarks.push(message) },
      },
    });
    expect(remarks).toEqual([]);
    return join(folder, 'smoke.js');
  },
  rolldown: async (folder) => {
    const remarks: string[] = [];
    const onLog = (_: string, { message }: { readonly message: string }) => remarks.push(message);
    const bundle = await rolldown({ input: program, platform: 'node', onLog });
    await bundle.write({ dir: folder, entryFileNames: 'program.mjs', chunkFileNames: '[name].mjs' });
    await bundle.close();
    expect(remarks).toEqual([]);
    return join(folder, 'program.mjs');
  },
};

const folders: string[] = [];

afterAll(() => {
  for (const folder of [...folders, program]) rmSync(folder, { recursive: true, force: true });
});

/** Returns a folder that has no node_modules, nor has any folder above it. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bundle-'));
  folders.push(folder);
  return folder;
}

/** A native package cannot be in a bundle, and the sentence names it. webpack keeps the place of the build, where it is installed. */
const worksOrIsMissing = /^works$|^refused: .*"@lydell\/node-pty".* cannot be loaded/;

test.each(Object.entries(bundlers))(
  'a program bundled by %s does all that it does unbundled',
  async (_, bundle) => {
    const folder = createFolder();

    const file = await bundle(folder);
    const { terminal, ...results } = await runSmoke([process.execPath, file]);

    const bytes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(Object.entries(results).filter(([, result]) => result !== 'works')).toEqual([]);
    expect(Object.keys(results)).toContain('policy with its grammar');
    expect(terminal).toMatch(worksOrIsMissing);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4_000_000);
  },
);
