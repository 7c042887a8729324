import { expect, test } from 'vitest';
import { parseOptions } from '../../src/config/parse-options.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import { decideExecution, type ExecutionWishes } from '../../src/policy/decide-execution.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';

function decide(options: SupervisorOptions, wishes: Partial<ExecutionWishes> = {}) {
  const rules = parseOptions(supervisorOptions, { input: options, name: 'createSupervisor' });
  return decideExecution(rules, { maxExecutionTime: 300_000, ...wishes });
}

test('without a tool the call decides', () => {
  expect(decide({})).toEqual({
    background: false,
    timeoutMs: 30_000,
    onTimeout: 'background',
    because: 'default',
  });
  expect(decide({}, { background: true, timeout: 5, onTimeout: 'kill' })).toMatchObject({
    background: true,
    timeoutMs: 5,
    onTimeout: 'kill',
  });
});

test('a mode of the tool overrules everything', () => {
  const options = { modes: { server__up: 'sync' } } as const;

  const decision = decide(options, { tool: 'server__up', background: true });

  expect(decision).toEqual({
    background: false,
    timeoutMs: 300_000,
    onTimeout: 'wait',
    because: 'modes: "server__up" is sync',
  });
});

test('the first mode that matches wins', () => {
  const options = { modes: { 'git__*': 'background', git__status: 'sync' } } as const;

  expect(decide(options, { tool: 'git__status' })).toMatchObject({
    background: true,
    because: 'modes: "git__*" is background',
  });
});

test('the mode auto leaves it to the call', () => {
  const options = { modes: { server__up: 'auto' } } as const;

  expect(decide(options, { tool: 'server__up' }).background).toBe(false);
  expect(decide(options, { tool: 'server__up', background: true }).background).toBe(true);
});

test.each(['server__start', 'docker__run_image', 'web__serve', 'web__serve_files', 'web__start_server_now'])(
  '%s is forced into the background',
  (tool) => {
    const decision = decide({}, { tool, background: false });

    expect(decision.background).toBe(true);
    expect(decision.because).toMatch(/^forceBackgroundPatterns: /);
  },
);

test.each(['files__read_file', 'files__write_file'])('%s is waited for', (tool) => {
  expect(decide({}, { tool, background: true })).toMatchObject({
    background: false,
    timeoutMs: 300_000,
    onTimeout: 'wait',
  });
});

test('a background pattern goes before a sync pattern', () => {
  const options = { forceBackgroundPatterns: ['a__*'], forceSyncPatterns: ['a__*'] };

  expect(decide(options, { tool: 'a__b' }).background).toBe(true);
});

test('a mode alone leaves the time-out alone', () => {
  const options = { modes: { 'a__*': 'background' }, timeout: 7_000 } as const;

  expect(decide(options, { tool: 'a__b' }).timeoutMs).toBe(7_000);
  expect(decide(options, { tool: 'a__b', timeout: 9_000 }).timeoutMs).toBe(9_000);
});

test('a time-out of the tool overrules the call', () => {
  const options = { timeouts: { 'a__*': '90s', a__b: '1s' } };

  expect(decide(options, { tool: 'a__b', timeout: 5 })).toMatchObject({
    timeoutMs: 90_000,
    background: false,
    onTimeout: 'background',
  });
  expect(decide(options, { tool: 'c__d', timeout: 5 }).timeoutMs).toBe(5);
});
