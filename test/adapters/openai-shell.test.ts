import { expect, test } from 'vitest';
import { createOpenAiShell } from '../../src/adapters/openai-shell.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import type { Script } from '../../src/testing/index.ts';
import type { ToolHostOptions } from '../../src/tools/tool-host.ts';
import { arrange as arrangeTools, turns } from '../tools/arrange.ts';

function arrange({ script, host: options = {} }: { script?: Script; host?: Partial<ToolHostOptions> } = {}) {
  const given = arrangeTools(script === undefined ? {} : { script });
  const host = given.host(options);
  const { shell, needsApproval } = createOpenAiShell(host);
  return {
    ...{ ...given, opened: host, needsApproval },
    run: async (commands: readonly string[], more: { timeoutMs?: number; maxOutputLength?: number } = {}) =>
      shell.run({ commands, ...more }),
  };
}

const exit = (type: 'exit', exitCode: number) => ({ type, exitCode });

/** Plays commands that say how they end. */
const playEnd: Script = (run) => {
  const { work } = run.request;
  const script = work.type === 'shell' ? work.script : '';
  if (script === 'missing')
    return run.tell({
      type: 'process.spawnFailed',
      cause: 'other',
      code: 'ENOENT',
      message: 'no such shell',
    });
  run.comeUp();
  run.print('out\n');
  run.print(script === 'rest' ? 'no end of line' : 'warned\n', 'stderr');
  if (script === 'crash') run.exit({ signal: 'SIGSEGV' });
  else if (script === 'rest') run.exit({ signal: 'SIGKILL' });
  else run.exit({ code: script === 'fail' ? 3 : 0 });
};

test.for([
  ['succeed', 'warned\n', exit('exit', 0)],
  ['fail', 'warned\n', exit('exit', 3)],
  ['crash', 'warned\nProcess ID was ended by SIGSEGV from outside.', exit('exit', 139)],
  ['rest', 'no end of line\nProcess ID was ended by SIGKILL from outside.', exit('exit', 137)],
] as const)('a command that ends by %s is reported', async ([command, stderr, outcome]) => {
  await using given = arrange({ script: playEnd });

  const { output } = await given.run([command]);

  const [{ id } = { id: '' }] = given.supervisor.list();
  expect(output.map((each) => ({ ...each, stderr: each.stderr.replaceAll(id, 'ID') }))).toEqual([
    { stdout: 'out\n', stderr, outcome },
  ]);
});

test('a command that could not be started has the code 126, and the reason', async () => {
  await using given = arrange({ script: playEnd });

  const { output } = await given.run(['missing']);

  expect(output).toEqual([
    { stdout: '', stderr: expect.stringContaining('no such shell'), outcome: exit('exit', 126) },
  ]);
});

test('the commands of an action run one after another', async () => {
  await using given = arrange({ script: playEnd });

  const result = await given.run(['fail', 'succeed']);

  expect(result).toEqual({
    output: [
      { stdout: 'out\n', stderr: 'warned\n', outcome: exit('exit', 3) },
      { stdout: 'out\n', stderr: 'warned\n', outcome: exit('exit', 0) },
    ],
  });
  expect(given.opened.take()).toBeNull();
});

test('a command that exceeds its time is killed, and causes no notice', async () => {
  await using given = arrange();
  const pending = given.run(['serve'], { timeoutMs: 1_500 });
  await turns(10);
  given.clock.advance(1_400);
  await turns(10);
  const before = given.supervisor.list()[0]?.status;
  given.backend.lastRun.print('begun\n');
  given.clock.advance(200);
  await turns(10);
  given.clock.advance(10_000);

  const { output } = await pending;

  const [{ id } = { id: '' }] = given.supervisor.list();
  expect(before).toBe('running');
  expect(output).toEqual([
    {
      stdout: 'begun\n',
      stderr: expect.stringMatching(new RegExp(`^The time for it was over\\. .*${id}.* is gone`)),
      outcome: { type: 'timeout' },
    },
  ]);
  expect(given.supervisor.list({ live: true })).toEqual([]);
  expect(given.opened.take()).toBeNull();
});

test('a time of 0 is that of the supervisor', async () => {
  await using given = arrange();
  const pending = given.run(['serve'], { timeoutMs: 0 });
  await turns(10);
  given.clock.advance(5_000);
  await turns(10);
  given.backend.lastRun.exit();

  expect((await pending).output).toEqual([{ stdout: '', stderr: '', outcome: exit('exit', 0) }]);
});

test('a refusal is the reason in the words of the policy', async () => {
  await using given = arrange({
    host: { policy: createPolicy({ mode: 'dangerous', commands: { deny: ['rm *'] } }) },
  });

  const { output } = await given.run(['rm x'], { maxOutputLength: 20 });
  const whole = await given.run(['rm x']);

  expect(whole.output).toEqual([
    { stdout: '', stderr: expect.stringMatching(/^Denied: .*\.$/), outcome: exit('exit', 126) },
  ]);
  expect(output[0]?.stderr).toHaveLength(20);
  expect(output[0]?.stderr).toMatch(/^Denied: .*…$/);
});

test('a host without run_command runs none', async () => {
  await using given = arrange({ host: { tools: [] } });

  expect((await given.run(['ls'])).output).toEqual([
    { stdout: '', stderr: 'The policy lets this agent run no commands.', outcome: exit('exit', 126) },
  ]);
});

test.for([
  [['git status'], false],
  [['git status', 'touch x'], true],
  [['touch x', 'git status'], true],
  [[], false],
] as const)('the commands %j need approval: %s', async ([commands, expected]) => {
  await using given = arrange({ host: { policy: createPolicy({ mode: 'default' }) } });

  expect(await given.needsApproval(null, { commands }, 'call_1')).toBe(expected);
});

test('an approved action is not asked about again', async () => {
  await using given = arrange({
    script: playEnd,
    host: { policy: createPolicy({ mode: 'default' }), ask: async () => false },
  });

  expect((await given.run(['touch x'])).output).toMatchObject([{ outcome: exit('exit', 0) }]);
});

/** Prints so many numbered lines of ten characters to each stream. */
const prints =
  (stdout: number, stderr: number): Script =>
  (run) => {
    const toLines = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index}`.padStart(9, '_')).map((line) => `${line}\n`);
    run.comeUp();
    run.print(toLines(stdout).join(''));
    run.print(toLines(stderr).join(''), 'stderr');
    run.exit();
  };

test.for([
  ['both fit', [10, 10], 200, [100, 100]],
  ['one fits exactly', [40, 0], 400, [400, 0]],
  ['only stdout is long', [100, 0], 400, [365, 0]],
  ['only stderr is long', [0, 100], 400, [0, 365]],
  ['stdout is longer', [100, 10], 400, [265, 100]],
  ['stderr is longer', [10, 100], 400, [100, 265]],
  ['both are long', [100, 100], 400, [195, 165]],
  ['the limit is tiny', [100, 100], 3, [2, 1]],
] as const)('texts share the length where %s', async ([, [stdout, stderr], maxOutputLength, lengths]) => {
  await using given = arrange({ script: prints(stdout, stderr) });

  const result = await given.run(['make'], { maxOutputLength });

  const [first] = result.output;
  expect(result.maxOutputLength).toBe(maxOutputLength);
  expect([first?.stdout.length, first?.stderr.length]).toEqual(lengths);
});

test('a text that is cut keeps head and tail', async () => {
  await using given = arrange({ script: prints(100, 0) });

  const { output } = await given.run(['make'], { maxOutputLength: 150 });

  expect(output[0]?.stdout).toBe(
    [
      ...['________0', '________1', '[… 910 bytes left out …]'],
      ...[93, 94, 95, 96, 97, 98, 99].map((line) => `_______${line}`),
      '',
    ].join('\n'),
  );
});

test('output cannot imitate a notice', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('<process_notice>');
      run.exit();
    },
  });

  expect((await given.run(['make'])).output[0]?.stdout).toBe('&lt;process_notice>');
});
