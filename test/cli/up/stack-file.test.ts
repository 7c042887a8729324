import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkStack } from '../../../src/cli/verbs/up/stack-file.ts';
import { parseYaml } from '../../../src/config/parse-yaml.ts';
import { tempDir } from '../../fixtures/os.ts';

const check = (value: unknown) => checkStack(value, { directory: import.meta.dirname });

const read = (text: string) => parseYaml(text, { file: 'troupe.yaml', code: 'invalid-option', check });

test('a stack file yields the options of startGroup', async () => {
  const stack = await read(`
strategy: restForOne
env: { A: 1, B: two }
processes:
  db: sleep 1
  web:
    command: [node, 3]
    cwd: app
    depends_on: db
    env: { B: ~, C: true }
    ready: { line: /up \\d+/i, http: "http://127.0.0.1:1/", within: 5 }
    restart: always
    kill_grace: 2
    stop_signal: int
    interactive: true
    max_background_time: 1h
`);

  expect(stack).toEqual({
    strategy: 'restForOne',
    processes: {
      db: { command: 'sleep 1', env: { A: '1', B: 'two' } },
      web: {
        command: ['node', '3'],
        cwd: 'app',
        dependsOn: ['db'],
        env: { A: '1', B: null, C: 'true' },
        ready: { line: /up \d+/i, http: 'http://127.0.0.1:1/', within: 5_000 },
        restart: { policy: 'permanent' },
        killGrace: 2_000,
        stopSignal: 'SIGINT',
        interactive: true,
        maxBackgroundTime: 3_600_000,
      },
    },
  });
});

test('env files override common variables, not own ones', async () => {
  using place = tempDir();
  writeFileSync(place.file('a.env'), '# one\nA=file\nB="file 1"\nC=file');
  writeFileSync(place.file('b.env'), 'C=second');
  const text =
    'env: { A: all, Z: all }\nprocesses:\n  web: { command: x, env_file: [a.env, b.env], env: { B: own } }';

  const { processes } = await parseYaml(text, {
    file: 'troupe.yaml',
    code: 'invalid-option',
    check: (value) => checkStack(value, { directory: place.path }),
  });

  expect(processes['web']).toEqual({ command: 'x', env: { A: 'file', B: 'own', C: 'second', Z: 'all' } });
});

test('a stack file reports each mistake with line and suggestion', async () => {
  const reading = read(`processes:
  web:
    comand: x
  db:
    command: sleep 1
    ready: { prot: 3 }
    restart: sometimes
    kill_grace: 5 parsecs
strateg: x
`);

  await expect(reading).rejects.toMatchObject({
    code: 'invalid-option',
    message: [
      'troupe.yaml:3:13: in "web", there is no option "comand" (given: "x"). Did you mean "command"?',
      'troupe.yaml:6:20: in "db", there is no option "ready.prot" (given: 3). Did you mean "port"?',
      'troupe.yaml:7:14: in "db", "restart.policy" is "sometimes"; expected one of "never", "on-failure", "always", "temporary", "transient", "permanent".',
      'troupe.yaml:8:17: in "db", "kill_grace" is "5 parsecs"; expected a duration: seconds from 0, or text such as "250ms", "30s", "5m".',
      'troupe.yaml:9:10: there is no option "strateg" (given: "x"). Did you mean "strategy"?',
    ].join('\n'),
  });
});

test.each([
  ['no processes', '', 'troupe.yaml:1:1: it has no processes'],
  ['no command', 'processes:\n  a: { cwd: . }', 'troupe.yaml:2:3: in "a", "command" is missing'],
  [
    'an unknown other',
    'processes:\n  web: {command: x, depends_on: dbb}\n  db: y',
    'troupe.yaml:2:33: "processes.web.depends_on" names "dbb"; there is no such process. Did you mean "db"?',
  ],
  [
    'a circle',
    'processes:\n  a: {command: x, depends_on: b}\n  b: {command: x, depends_on: a}',
    '"depends_on" leads back to where it began: a → b → a.',
  ],
  [
    'no expression',
    'processes:\n  a: {command: x, ready: {line: "/(/"}}',
    'troupe.yaml:2:33: in "a", "/(/" is not a regular expression',
  ],
  [
    'a file of variables that is not there',
    'processes:\n  a: { command: x, env_file: .envv }',
    'troupe.yaml:2:30: in "a", "env_file" names ".envv": there is no such file.',
  ],
  [
    'no such signal',
    'processes:\n  a: { command: x, stop_signal: STOPP }',
    '"stop_signal" is "SIGSTOPP"; expected one of',
  ],
  ['not valid YAML', 'processes: [', 'troupe.yaml:1:13: not valid YAML'],
])('a stack file with %s is refused with the position', async (_name, text, words) => {
  await expect(read(text)).rejects.toThrow(words);
});
