import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CommandSpec, FinalView, SpawnFailureCause } from '../../src/index.ts';
import { carriers, countOpenFiles, fixtureProgram, tempDir, waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

const isRoot = process.getuid?.() === 0;

/** All that must hold of a start that failed, whatever the cause. */
async function expectSpawnFailure(
  stage: RealHarness,
  { spec, cause, code }: { spec: CommandSpec; cause: SpawnFailureCause; code: string | null },
): Promise<FinalView> {
  const completions: string[] = [];
  stage.supervisor.completions$.subscribe(({ id }) => completions.push(id));
  const handle = stage.supervisor.start(spec);
  const view = await handle.ended;

  expect(view).toMatchObject({
    status: 'failed',
    pid: null,
    startedAt: null,
    exit: null,
    reason: { type: 'spawnFailed', cause, ...(code !== null && { code }) },
    leftovers: [],
  });
  expect(await handle.result()).toMatchObject({
    type: 'failed',
    reason: { type: 'spawnFailed' },
    message: expect.stringContaining('could not be started'),
  });
  await waitUntil(() => completions.length > 0);
  expect(completions).toEqual([`${handle.id}/1/ended`]);
  return view;
}

test('a missing program is named', async () => {
  await using stage = openRealHarness();

  const view = await expectSpawnFailure(stage, {
    spec: { command: ['no-such-program', 'x'] },
    cause: 'missing-program',
    code: 'ENOENT',
  });

  expect(view.reason).toMatchObject({ message: expect.stringContaining('"no-such-program"') });
});

test('a missing shell is a missing program', async () => {
  await using stage = openRealHarness({ shell: '/no/such/shell' });

  await expectSpawnFailure(stage, { spec: { command: 'true' }, cause: 'missing-program', code: 'ENOENT' });
});

test('a program that a shell cannot find has code 127', async () => {
  await using stage = openRealHarness();

  const result = await stage.supervisor.execute({ command: 'no-such-program' });

  expect(result).toMatchObject({ type: 'failed', exitCode: 127 });
});

test.each(['missing', 'deleted', 'a file'])(
  'a working directory that is %s is distinguished from a missing program',
  async (kind) => {
    await using stage = openRealHarness();
    const cwd = stage.file('there');
    if (kind === 'a file') writeFileSync(cwd, '');
    if (kind === 'deleted') {
      mkdirSync(cwd);
      rmSync(cwd, { recursive: true });
    }

    const view = await expectSpawnFailure(stage, {
      spec: { command: ['true'], cwd },
      cause: 'missing-cwd',
      code: null,
    });

    expect(view.reason).toMatchObject({ message: expect.stringContaining(cwd) });
  },
);

test('a file that may not be run is no permission', async () => {
  await using stage = openRealHarness();
  const file = stage.file('plain.txt');
  writeFileSync(file, 'text');

  await expectSpawnFailure(stage, { spec: { command: [file] }, cause: 'no-permission', code: 'EACCES' });
});

test('a command with too long arguments fails to start', async () => {
  await using stage = openRealHarness();

  await expectSpawnFailure(stage, {
    spec: { command: ['echo', 'x'.repeat(200 * 1024)] },
    cause: 'arguments-too-long',
    code: 'E2BIG',
  });
});

test('failed starts leak no slot and no descriptor', async () => {
  await using stage = openRealHarness({ maxParallelTools: 1, maxBackgroundProcesses: 1 });
  await stage.supervisor.execute({ command: ['true'] });
  const before = countOpenFiles();

  for (let round = 0; round < 20; round += 1) {
    const failed = stage.supervisor.start({ command: ['no-such-program'], background: round % 2 === 0 });
    expect((await failed.ended).status).toBe('failed');
  }

  expect(await stage.supervisor.execute({ command: 'echo fine' })).toMatchObject({ stdout: 'fine\n' });
  await waitUntil(() => countOpenFiles() <= before + 2);
});

interface Report {
  readonly ends: readonly { status: string; reason: Record<string, unknown>; isCompleted: boolean }[];
  readonly after: string;
  readonly leaked: number;
}

/** Runs fixtures/programs/starts-and-reports.ts in a program of its own. */
async function startElsewhere(
  directory: string,
  order: { specs: CommandSpec[]; openAll: boolean },
  as: { limit?: number; uid?: number } = {},
): Promise<Report> {
  const script = `${as.limit === undefined ? '' : `ulimit -n ${as.limit}; `}exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)(
    '/bin/sh',
    [
      '-c',
      script,
      process.execPath,
      fixtureProgram('starts-and-reports.ts'),
      directory,
      JSON.stringify(order),
    ],
    as.uid === undefined ? {} : { uid: as.uid, gid: as.uid },
  );
  return JSON.parse(stdout) as Report;
}

test('too many open files fail a start and spoil no later one', async () => {
  using directory = tempDir();
  const specs: CommandSpec[] = [{ command: ['true'] }, { command: 'true', background: true }];

  const { ends, after, leaked } = await startElsewhere(
    directory.path,
    { specs, openAll: true },
    { limit: 64 },
  );

  for (const end of ends) {
    expect(end).toMatchObject({
      status: 'failed',
      reason: { type: 'spawnFailed', cause: 'too-many-files', code: 'EMFILE' },
      isCompleted: true,
    });
  }
  expect(after).toBe('completed');
  expect(leaked).toBeLessThanOrEqual(0);
});

test('without a free descriptor everything can still be killed', async () => {
  using directory = tempDir();
  const program = fixtureProgram('takes-all-descriptors.ts');

  const { stdout } = await promisify(execFile)(
    '/bin/sh',
    ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, program, directory.path, '60'],
    { env: { ...process.env, TROUPE_TEST_MARK: directory.path } },
  );

  const { live, failures, ...rest } = JSON.parse(stdout);
  expect([live > 5, live + failures.length]).toEqual([true, 60]);
  for (const { status, reason } of failures) {
    expect(status).toBe('failed');
    expect(reason).toMatchObject({ type: 'spawnFailed', cause: 'too-many-files' });
    expect(reason.message).toMatch(/^Nothing was started: \d+ of the 128 files .* raise "ulimit -n"\.$/);
  }
  expect(rest).toEqual({ killed: 'killed', survivors: [], faults: expect.any(Number) });
  expect(rest.faults).toBeLessThan(20);
  expect(carriers(directory.path)).toEqual([]);
});

// Root may enter every directory: another user is needed, and only root can become one.
test.runIf(isRoot)('a directory that may not be entered is no permission', async () => {
  using directory = tempDir();
  const closed = directory.file('closed');
  mkdirSync(closed);
  chmodSync(closed, 0o600);
  for (const path of [directory.path, closed]) chownSync(path, 65_534, 65_534);
  chmodSync(directory.path, 0o755);
  const specs: CommandSpec[] = [{ command: ['true'], cwd: closed }];

  const { ends } = await startElsewhere(directory.path, { specs, openAll: false }, { uid: 65_534 });

  expect(ends[0]).toMatchObject({
    status: 'failed',
    reason: { type: 'spawnFailed', cause: 'no-permission' },
  });
});

test('a late subscriber gets everything', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: 'echo one; echo two; exit 3' });
  await waitUntil(() => handle.status === 'failed');

  const lines = await lastValueFrom(handle.lines$.pipe(toArray()));

  expect(lines.map((line) => line.type === 'line' && line.text)).toEqual(['one', 'two']);
  expect(await lastValueFrom(handle.status$.pipe(toArray()))).toEqual(['failed']);
  expect(await handle.ended).toMatchObject({ exit: { code: 3 }, reason: { type: 'exited', code: 3 } });
  expect(await handle.result()).toMatchObject({ type: 'failed', output: 'one\ntwo\n' });
});

test.each([0, '30d'])('a limit of %s does not fire at once', async (limit) => {
  await using stage = openRealHarness();

  const handle = stage.supervisor.start({
    command: 'sleep 0.1; echo done',
    timeout: limit,
    onTimeout: 'kill',
    maxExecutionTime: limit,
    maxBackgroundTime: limit,
  });

  expect(await handle.result()).toMatchObject({ type: 'completed', stdout: 'done\n' });
});

test('an array is seen by no shell', async () => {
  await using stage = openRealHarness();

  const result = await stage.supervisor.execute({ command: ['echo', '$HOME', '; ls', '`id`', '*'] });

  expect(result).toMatchObject({ stdout: '$HOME ; ls `id` *\n' });
});

test('a process knows who it is and gets hints', async () => {
  await using stage = openRealHarness({ owner: 'conversation-7', env: { ADDED: 'yes' } });
  const handle = stage.supervisor.start({ command: ['env'], env: { HOME: null } });
  await handle.ended;

  const variables = new Map(
    handle
      .read()
      .text.split('\n')
      .map((line) => line.split(/=(.*)/s) as [string, string]),
  );

  expect(Object.fromEntries(variables)).toMatchObject({
    TROUPE_PROCESS_ID: handle.id,
    TROUPE_SUPERVISOR_ID: stage.supervisor.id,
    TROUPE_OWNER: 'conversation-7',
    PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
    ADDED: 'yes',
  });
  expect(variables.get('TROUPE_LINEAGE')).toContain(`/${stage.supervisor.id}/${handle.id}/`);
  expect(variables.has('HOME')).toBe(false);
});

/** What a successful command printed. */
async function printed({ supervisor }: RealHarness, spec: CommandSpec): Promise<string> {
  const result = await supervisor.execute(spec);
  if (result.type !== 'completed') throw new Error(result.message);
  return result.stdout;
}

test('a redacted name stays with this program', async () => {
  process.env['TROUPE_TEST_API_KEY'] = 'do-not-hand-on';
  try {
    await using stage = openRealHarness({ hints: { term: false, pager: false } });
    const data = await printed(stage, { command: ['env'] });

    expect(data).not.toContain('do-not-hand-on');
    expect(data).not.toContain('\nPAGER=cat');
  } finally {
    delete process.env['TROUPE_TEST_API_KEY'];
  }
});

test.each([
  'ANTHROPIC_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'NPM_TOKEN',
  'STRIPE_WEBHOOK_SECRET',
])('a command does not inherit %s', async (name) => {
  vi.stubEnv(name, 'do-not-hand-on');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using stage = openRealHarness();

  const inherited = await printed(stage, { command: ['env'] });
  const given = await printed(stage, { command: ['env'], env: { [name]: 'given' } });

  expect(inherited).not.toContain('do-not-hand-on');
  expect(given).toContain(`${name}=given`);
});

test('a command inherits names that are like keys', async () => {
  vi.stubEnv('TOKENIZERS_PARALLELISM', 'false');
  vi.stubEnv('KEYBOARD', 'qwertz');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using stage = openRealHarness();

  const data = await printed(stage, { command: ['env'] });

  expect(data).toContain('TOKENIZERS_PARALLELISM=false');
  expect(data).toContain('KEYBOARD=qwertz');
});

test('a secret in label or metadata is recorded nowhere', async () => {
  await using stage = openRealHarness();
  const secret = 'hunter2-hunter2';

  const handle = stage.supervisor.start({
    command: ['true'],
    label: `with ${secret}`,
    metadata: { [secret]: [{ deep: `x${secret}` }], count: 1 },
    secrets: { TOKEN: secret },
  });
  await handle.ended;
  const path = stage.file(`state/processes/${handle.id}.json`);
  await waitUntil(() => existsSync(path) && readFileSync(path, 'utf8').includes('ended'));

  const record = readFileSync(path, 'utf8');
  expect(JSON.stringify([handle.view(), handle.timeline(), stage.events])).not.toContain('hunter2');
  expect(record).not.toContain('hunter2');
  expect(handle.view()).toMatchObject({
    label: 'with [redacted]',
    metadata: { '[redacted]': [{ deep: 'x[redacted]' }], count: 1 },
  });
});

test('a relative cwd counts from that of the supervisor', async () => {
  await using stage = openRealHarness({ cwd: '/usr' });

  const result = await stage.supervisor.execute({ command: ['pwd'], cwd: 'lib', logFile: false });

  expect(result).toMatchObject({ type: 'completed', stdout: '/usr/lib\n' });
});
