import { expect, test } from 'vitest';
import { renderPermissionQuestion } from '../../../src/cli/render/permission-question.ts';
import type { PermissionQuestion } from '../../../src/policy/authorize.ts';
import { plainPage } from '../plain-page.ts';

const asked = {
  tool: 'run_command',
  permission: 'start',
  question: 'Run "rm -rf build" now?',
  reason: 'It removes files.',
  agent: 'coder',
  callId: 'call_7',
  start: { command: 'rm -rf build', cwd: '/project' },
  arguments: { command: 'rm -rf build', cwd: '/project', timeout: '5m' },
  always: ['rm -rf *', 'ls *'],
} as unknown as PermissionQuestion;

const render = (more: Partial<PermissionQuestion> = {}) =>
  renderPermissionQuestion({ ...asked, ...more }, plainPage(80)).map((line) => line.trim());

test('a question shows the command once, and each other argument', () => {
  const lines = render();

  expect(lines).toHaveLength(7);
  expect(lines[0]).toMatch(/Run this command now\?$/);
  expect(lines.slice(1)).toEqual([
    'rm -rf build',
    'in /project',
    'timeout=5m',
    'It removes files.',
    'by agent coder, call call_7',
    '"always" would allow: rm -rf * · ls *',
  ]);
});

test('a command of several words shows where each begins', () => {
  const command = ['echo', 'a b'];

  expect(render({ start: { command }, arguments: { command } } as never)).toContain('"echo" "a b"');
});

test('a call that starts nothing shows all its arguments', () => {
  const lines = render({ start: undefined, arguments: { process_id: 'tool_a', name: '' } } as never);

  expect(lines.join('\n')).toContain('process_id=tool_a');
});

test('a question says nothing twice, and nothing of what is absent', () => {
  const lines = render({ question: 'Run it? It removes files.', callId: null, always: null });

  expect(lines.slice(-2)).toEqual(['timeout=5m', 'by agent coder']);
});
