import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const backend = fileURLToPath(new URL('../../../src/spawn/pty/pty-backend.ts', import.meta.url));

/** Returns the error of the backend in a program that cannot load packages with this prefix. */
function whyWithout(beginning: string): string {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier.startsWith(${JSON.stringify(beginning)})) throw new Error('Cannot find module ' + specifier);
        return next(specifier, context);
      },
    });
    const { createPtyBackend } = await import(${JSON.stringify(backend)});
    console.log(JSON.stringify(createPtyBackend({ table: {}, trees: {}, reportError: () => {}, tmuxSocket: null })));
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return JSON.parse(printed).why ?? '';
}

test.each(['@lydell/node-pty', '@lydell/node-pty-', '@xterm/headless', '@xterm/addon-serialize'])(
  'a pty backend without %s names the missing package',
  (beginning) => {
    const why = whyWithout(beginning);

    expect(why).toMatch(/the package "@(lydell|xterm)\/.*cannot be loaded \(.*\)$/);
    expect(why).not.toContain('\n');
  },
);

test('a pty backend exists with all packages', () => {
  expect(whyWithout('no-such-package')).toBe('');
});
