import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/index.ts';
import { createVirtualHarness, type VirtualOptions } from '../support/virtual.ts';

function open(options: VirtualOptions = {}) {
  return createVirtualHarness(options);
}

describe('a start', () => {
  test('takes process.env as its environment', () => {
    const { supervisor, backend } = open({
      env: { ...process.env, FROM_SUPERVISOR: 'yes', NONE: undefined },
    });

    supervisor.start({ command: 'true', env: { ...process.env, NOTHING: undefined, GIVEN: 'yes' } });

    const { env } = backend.lastRun.request;
    expect(env).toMatchObject({ GIVEN: 'yes', FROM_SUPERVISOR: 'yes' });
    expect(Object.keys(env)).not.toContain('NOTHING');
    expect(Object.keys(env)).not.toContain('NONE');
  });

  test('takes a readonly list as its command', () => {
    const { supervisor, backend } = open();
    const command: readonly string[] = ['git', 'status'];

    supervisor.start({ command });

    expect(backend.lastRun.request.work).toEqual({ type: 'argv', file: 'git', args: ['status'] });
  });

  test('refuses an empty list', () => {
    const { supervisor } = open();

    expect(() => supervisor.start({ command: [] })).toThrow('program and arguments');
  });
});

test.each([
  [{ stateDirectory: 7 }, 'expected a path that is not empty, or false for none.'],
  [{ recover: 'yes' }, 'expected true, false, or an owner ({ owner: "agent-1" }).'],
  [{ secrets: { a: 1 } }, 'expected one of { env: "NPM_TOKEN" }'],
])('a supervisor says what it expects instead of %o', (options, expected) => {
  expect(() => open(options as never)).toThrow(expected);
});

test.each([
  [{ ready: { line: 7 } }, 'expected a text that is not empty, or a regular expression (/ready/).'],
  [{ command: 7 }, 'expected text for the shell'],
  [{ timeout: {} }, 'expected a duration: milliseconds from 0, or text'],
])('a start says what it expects instead of %o', (options, expected) => {
  const { supervisor } = open();

  expect(() => supervisor.start({ command: 'true', ...options } as unknown as CommandSpec)).toThrow(expected);
});
