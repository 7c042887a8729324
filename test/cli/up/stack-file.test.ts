// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of stack files look like that.
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadStack } from '../../../src/cli/verbs/up/find-stack.ts';
import { checkStack } from '../../../src/cli/verbs/up/stack-file.ts';
import { parseYaml } from '../../../src/config/parse-yaml.ts';
import { tempDir } from '../../support/os.ts';

const check = (value: unknown) =>
  checkStack(value, { directory: import.meta.dirname, env: { PORT: '3000', EMPTY: '', ZEROS: '007' } });

const read = (text: string) => parseYaml(text, { file: 'troupe.yaml', code: 'invalid-option', check });

test('a stack file yields the options of startGroup', async () => {
  const stack = await read(`
strategy: restForOne
env: { A: 1, B: two }
processes:
  db: sleep 1
  web:
    command: [node, 3]
    host: pool:gpu
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
        host: 'pool:gpu',
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
    check: (value) => checkStack(value, { directory: place.path, env: {} }),
  });

  expect(processes['web']).toMatchObject({
    command: 'x',
    env: { A: 'file', B: 'own', C: 'second', Z: 'all' },
  });
});

test('a stack file restarts nothing that it does not say', async () => {
  const { processes } = await read(`
processes:
  plain: sleep 1
  failing: { command: sleep 1, restart: on-failure }
  limited: { command: sleep 1, restart: { max_restarts: 2 } }
`);

  expect(processes['plain']).toMatchObject({ restart: { policy: 'temporary' } });
  expect(processes['failing']).toMatchObject({ restart: { policy: 'transient' } });
  expect(processes['limited']?.restart).toEqual({ maxRestarts: 2 });
});

test('variables of the environment are replaced in a stack file', async () => {
  const { processes } = await read(`
processes:
  web:
    command: [node, 'server.js', '--port=\${PORT}', '\${NONE:-none}', '$\${PORT}', '\${ZEROS}']
    cwd: app/\${EMPTY:-here}
    env: { URL: 'http://127.0.0.1:\${PORT}/', KEPT: '\${EMPTY-unset}', PRICE: $5 }
    ready: { port: '\${PORT}' }
  shell: echo \${NONE}
  text: { command: 'for i in 1 2; do echo \${i}; done' }
`);

  expect(processes['web']).toMatchObject({
    command: ['node', 'server.js', '--port=3000', 'none', '${PORT}', '007'],
    cwd: 'app/here',
    env: { URL: 'http://127.0.0.1:3000/', KEPT: '', PRICE: '$5' },
    ready: { port: 3000 },
  });
  expect(processes['shell']).toMatchObject({ command: 'echo ${NONE}' });
  expect(processes['text']).toMatchObject({ command: 'for i in 1 2; do echo ${i}; done' });
});

test('variables of .env beside a stack file are replaced, and those of the environment override them', async () => {
  using place = tempDir();
  writeFileSync(place.file('.env'), '# one\nHOST=file\nPORT=1\n');
  writeFileSync(place.file('troupe.yaml'), 'processes:\n  web: { command: [x, "${HOST}:${PORT}"] }\n');

  const { processes } = await loadStack(place.file('troupe.yaml'), {
    cwd: '/',
    env: { PORT: '3000', HOST: undefined },
  });

  expect(processes['web']).toMatchObject({ command: ['x', 'file:3000'], env: {} });
});

test('an unset variable is reported with its line and a remedy', async () => {
  const reading = read(`processes:
  web:
    command: x
    cwd: \${PROT}
    env: { A: '\${' }
`);

  await expect(reading).rejects.toMatchObject({
    message: [
      'troupe.yaml:4:10: "processes.web.cwd" uses ${PROT}, and the variable is not set. Set it, or give a default: ${PROT:-…}.',
      'troupe.yaml:5:15: "processes.web.env.A" has a "${" that begins no variable; expected ${NAME} or ${NAME:-default}. For a plain "${" write "$${".',
    ].join('\n'),
  });
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
      'troupe.yaml:7:14: in "db", "restart.policy" is "sometimes"; expected one of "never", "no", "on-failure", "always", "temporary", "transient", "permanent".',
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
