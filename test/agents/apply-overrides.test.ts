import { expect, test } from 'vitest';
import { applyOverrides } from '../../src/agents/parse-agent-file.ts';
import type { AgentDefinition } from '../../src/config/agent-file-schema.ts';

const definition: AgentDefinition = {
  name: 'coder',
  model: { name: 'gpt-5', temperature: 1 },
  supervisor: { kill_grace: '5s', default_timeout: 30 },
};

test.each([
  ['--supervisor.default_timeout=60', { supervisor: { kill_grace: '5s', default_timeout: 60 } }],
  ['--supervisor.default_timeout=1m', { supervisor: { kill_grace: '5s', default_timeout: '1m' } }],
  ['--supervisor.hints.pager=false', { supervisor: { ...definition.supervisor, hints: { pager: false } } }],
  ['--supervisor.env={"CI": "1"}', { supervisor: { ...definition.supervisor, env: { CI: '1' } } }],
  ['--supervisor.env.CI=1', { supervisor: { ...definition.supervisor, env: { CI: '1' } } }],
  ['--model.temperature=0.5', { model: { name: 'gpt-5', temperature: 0.5 } }],
  ['--model=scripted', { model: { provider: 'scripted' } }],
  ['--tools.deny=run_*,kill_process', { tools: { deny: ['run_*', 'kill_process'] } }],
  ['--tools.deny=["a,b"]', { tools: { deny: ['a,b'] } }],
  ['--tools.deny=', { tools: { deny: [] } }],
  ['--tools.timeouts.docker__*=5', { tools: { timeouts: { 'docker__*': 5 } } }],
  ['--version=2', { version: '2' }],
  ['--system_prompt=Be brief = be good.', { system_prompt: 'Be brief = be good.' }],
  ['--policy.mode=auto', { policy: { mode: 'auto' } }],
])('%s changes one setting', (flag, expected) => {
  expect(applyOverrides(definition, [flag])).toEqual({ ...definition, ...expected });
});

test('later flags win, and the definition stays', () => {
  const before = structuredClone(definition);

  const changed = applyOverrides(definition, ['--limits.max_steps=5', '--limits.max_steps=6']);

  expect(changed.limits).toEqual({ max_steps: 6 });
  expect(definition).toEqual(before);
});

test.each([
  [
    '--supervisor.defalt_timeout=5',
    '--supervisor.defalt_timeout: there is no option "supervisor.defalt_timeout" (given: 5). Did you mean "default_timeout"?',
  ],
  ['--model.temperature=hot', '--model.temperature: "model.temperature" is "hot"; expected a number.'],
  [
    '--supervisor.default_timeout=soon',
    '--supervisor.default_timeout: "supervisor.default_timeout" is "soon"; expected a duration',
  ],
  ['--supervisor=5', '--supervisor: "supervisor" is 5; expected an object.'],
  ['--name.first=x', '--name.first: "name" is'],
  ['--limits.max_steps=0', '--limits.max_steps: "limits.max_steps" is 0; expected at least 1.'],
  ['--__proto__.polluted=1', '--__proto__.polluted: there is no option "__proto__"'],
  ['--supervisor.__proto__=1', '--supervisor.__proto__: there is no option "supervisor.__proto__"'],
  ['--supervisor.default_timeout', 'expected --<setting>=<value>'],
  ['supervisor.default_timeout=5', 'expected --<setting>=<value>'],
  ['--=5', 'expected --<setting>=<value>'],
])('%s is refused by its name', (flag, expected) => {
  expect(() => applyOverrides(definition, [flag])).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(expected) }),
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
