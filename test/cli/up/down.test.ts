// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of stack files look like that.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { startProgram } from '../program.ts';

const member = (name: string) =>
  `trap "echo ${name} >> ends; exit 0" TERM; echo ${name} is up; while :; do sleep 1; done`;

function stackProject() {
  const project = daemonProject();
  const processes = {
    web: { command: member('web'), depends_on: 'db' },
    db: { command: member('db'), ready: { line: 'is up' } },
    cache: { command: member('cache') },
  };
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));
  return project;
}

test('down stops a stack in reverse order', async () => {
  await using project = stackProject();
  const { child, ran } = startProgram(['up'], { cwd: project.path, env: project.env });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await waitUntil(() => stderr.includes('are ready'), { withinMs: 30_000 });

  const down = await project.troupe('down');

  expect(down).toMatchObject({ code: 0, stderr: '' });
  const order = down.stdout.split('\n').map((row) => /^✓ (\w+): Process \w+ is gone/.exec(row)?.[1]);
  expect(order.slice(0, -1).toSorted()).toEqual(['cache', 'db', 'web']);
  expect(order.indexOf('web')).toBeLessThan(order.indexOf('db'));
  expect((await ran).code).toBe(0);
  await project.gone();
});

test('a detached stack continues until down', async () => {
  await using project = stackProject();

  const up = await project.troupe('up', '--detach');

  expect(up).toMatchObject({ code: 0, stdout: expect.stringMatching(/^service_\w{8}\n$/), stderr: '' });
  const labels = (await project.processes()).map(({ label }) => label);
  expect(labels.toSorted()).toEqual(['cache', 'db', 'up troupe.yaml', 'web']);
  expect((await project.call('down')).code).toBe(0);
  await waitUntil(async () => (await project.processes()).length === 0, { withinMs: 30_000 });
});

test('a second up --detach exits with 0 and leaves running processes alone', async () => {
  await using project = daemonProject();
  const processes = {
    migrate: 'echo migrated >> runs',
    web: { command: '${RUNNER:-exec} sleep 1000', depends_on: { migrate: 'completed' }, cwd: '${HERE}' },
  };
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));
  const unset = await project.call('up', '-d');
  Object.assign(project.env, { HERE: '.' });

  const first = await project.troupe('up', '-d');
  const before = await project.processes();
  const second = await project.troupe('up', '-d');

  expect(unset).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('uses ${HERE}') });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(second).toEqual({ code: 0, stdout: '', stderr: 'troupe: already up: migrate, web\n' });
  expect((await project.processes()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(readFileSync(project.file('runs'), 'utf8')).toBe('migrated\n');
});

test('two ups at once start each process once', async () => {
  await using project = daemonProject();
  const processes = {
    // It says that it is up once the second `up` waits, so `web` is missing while that one looks.
    db: {
      command: 'until [ -e go ]; do sleep 0.1; done; echo is up; exec sleep 1000',
      ready: { line: 'is up' },
    },
    web: { command: 'exec sleep 1000', depends_on: 'db' },
  };
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));
  const first = project.troupe('up', '-d');
  const named = async (label: string) => (await project.processes()).filter((each) => each.label === label);
  await waitUntil(async () => (await named('db')).length === 1, { withinMs: 30_000 });

  const { child, ran } = startProgram(['up'], { cwd: project.path, env: project.env });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await waitUntil(() => /waiting|already up/.test(stderr), { withinMs: 30_000 });
  writeFileSync(project.file('go'), '');

  await waitUntil(async () => (await named('web')).length > 0, { withinMs: 30_000 });
  expect((await first).code).toBe(0);
  await waitUntil(() => /already up: db, web|are ready/.test(stderr), { withinMs: 30_000 });
  const labels = (await project.processes()).map(({ label }) => label);
  child.kill('SIGINT');
  await ran;
  expect(labels.toSorted()).toEqual(['db', 'up troupe.yaml', 'web']);
});

test('a detached stack of one-shots is up when all have completed', async () => {
  await using project = daemonProject();
  writeFileSync(
    project.file('troupe.yaml'),
    JSON.stringify({ processes: { build: { command: 'echo built', one_shot: true } } }),
  );

  const up = await project.troupe('up', '-d');

  expect(up).toMatchObject({ code: 0, stdout: expect.stringMatching(/^service_\w{8}\n$/), stderr: '' });
});

test('a second up restarts only changed processes', async () => {
  await using project = stackProject();
  const pids = async () => {
    const found = (await project.processes()).filter(({ label }) => !label?.startsWith('up '));
    return Object.fromEntries(found.map(({ label, pid }) => [label, pid]));
  };
  await project.troupe('up', '-d');
  const before = await pids();
  const idle = await project.call('up');
  const processes = {
    web: { command: member('web'), depends_on: 'db', env: { PORT: 1 } },
    db: { command: member('db'), ready: { line: 'is up' } },
  };
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));

  const second = await project.troupe('up', '-d');

  const after = await pids();
  expect(idle).toMatchObject({ code: 0, stdout: '' });
  expect(idle.stderr).toBe('troupe: already up: web, db, cache\n');
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr.split('\n').slice(0, 3)).toEqual([
    'troupe: already up: db',
    'troupe: changed, restarting: web',
    expect.stringMatching(
      /^troupe: \w+ \(cache\) is running and no longer in troupe\.yaml; to end it: troupe kill/,
    ),
  ]);
  expect(after).toEqual({ ...before, web: expect.any(Number) });
  expect(after['web']).not.toBe(before['web']);
  expect((await project.call('down', 'web')).stdout).toMatch(/^✓ web: .*\n$/);
});

test('up --detach reports a stack that fails to start', async () => {
  await using project = daemonProject();
  const processes = {
    bad: { command: 'exit 3', restart: 'never', ready: { line: 'x' } },
    good: 'exec sleep 1000',
  };
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));

  const up = await project.troupe('up', '-d');

  expect(up).toMatchObject({ code: 1, stdout: '' });
  expect(up.stderr).toContain('bad is not ready: it exited with code 3');
});

test('down reports that nothing runs', async () => {
  await using project = stackProject();

  const [text, json] = await Promise.all([project.call('down'), project.call('down', '--json')]);

  expect(text).toEqual({ code: 0, stdout: '', stderr: 'troupe: nothing of troupe.yaml is running\n' });
  expect(json).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});
