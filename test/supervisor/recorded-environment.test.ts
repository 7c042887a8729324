import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEnvironmentStore } from '../../src/store/environment-store.ts';
import { toRuntimeDirectoryName } from '../../src/store/socket-paths.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { turn } from '../support/virtual.ts';

const token = 'ghp_of-the-shell';

/** Opens a state directory; `outside` finds its private files elsewhere. */
function openProject() {
  const { path: state, open, crash } = openDirectoryHarness({ recordsIn: 'files' });
  const outside = () =>
    filesBelow(
      [process.env['XDG_RUNTIME_DIR'], tmpdir()].map((at) =>
        join(at ?? '/none', toRuntimeDirectoryName(state)),
      ),
    );
  onTestFinished(async () => {
    await turn();
    for (const path of outside()) rmSync(dirname(path), { recursive: true, force: true });
  });
  return {
    state,
    open,
    crash,
    outside,
    everything: () =>
      filesBelow([state])
        .map((path) => readFileSync(path, 'utf8'))
        .join('\n'),
  };
}

function filesBelow(places: readonly string[]): string[] {
  return places.flatMap((place) => {
    try {
      const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
      return names.map((name) => join(place, name)).filter((path) => statSync(path).isFile());
    } catch {
      return [];
    }
  });
}

const server = {
  command: ['server'] as [string],
  lifetime: 'persistent',
  background: true,
  env: { GITHUB_TOKEN: token, PAGER: null },
} as const;

test('a record names variables and holds no value', () => {
  const project = openProject();
  const { supervisor, clock } = project.open();

  supervisor.start(server);
  clock.advance(100);

  expect(project.everything()).toContain('GITHUB_TOKEN');
  expect(project.everything()).not.toContain(token);
});

test('values are kept in private files outside the project', async () => {
  const project = openProject();
  const { supervisor, backend, clock } = project.open();
  const handle = supervisor.start(server);

  const [path = '', ...others] = project.outside();
  const modes = [path, dirname(path)].map((each) => statSync(each).mode & 0o777);
  const text = readFileSync(path, 'utf8');
  backend.lastRun.exit({ code: 0 });
  await handle.ended;
  clock.advance(100);

  expect(others).toEqual([]);
  expect(text).toContain(token);
  expect(modes).toEqual([0o600, 0o700]);
  expect(project.outside()).toEqual([]);
});

test('a restart under the next supervisor has the same environment', () => {
  const project = openProject();
  const first = project.open();
  const { id } = first.supervisor.start(server);
  first.clock.advance(100);
  project.crash(first.supervisor);

  const next = project.open();
  next.supervisor.get(id)?.restart();
  next.clock.advance(60_000);

  expect(next.backend.lastRun).toMatchObject({
    isAdopted: false,
    request: { id, env: { GITHUB_TOKEN: token } },
  });
  expect(next.backend.lastRun.request.env).not.toHaveProperty('PAGER');
});

describe('an environment without a record', () => {
  test('is removed where the record cannot be written', () => {
    const project = openProject();
    const { supervisor } = project.open();
    supervisor.start(server);
    rmSync(join(project.state, 'processes'), { recursive: true });
    writeFileSync(join(project.state, 'processes'), '');

    expect(() => supervisor.start({ ...server, background: true })).toThrow('Nothing was started');

    expect(project.outside()).toHaveLength(1);
  });

  /** The supervisor is dead if its `startedAt` differs, as if its pid had been taken by another program. */
  const arrange = ({ isDead }: { readonly isDead: boolean }) => {
    const project = openProject();
    const { supervisor, clock } = project.open();
    const { id } = supervisor.start(server);
    clock.advance(100);
    const entry = join(project.state, 'supervisors', `${supervisor.id}.json`);
    const dead = JSON.stringify({ ...JSON.parse(readFileSync(entry, 'utf8')), startedAt: '1' });
    writeFileSync(
      join(project.state, 'supervisors/sup_aaaaaaaa.json'),
      dead.replaceAll(supervisor.id, 'sup_aaaaaaaa'),
    );
    if (isDead) rmSync(entry);
    rmSync(join(project.state, 'processes', `${id}.json`));
    expect(project.outside()).toHaveLength(1);
    return project;
  };

  test('was left by a killed supervisor, and the next one removes it', () => {
    const project = arrange({ isDead: true });

    project.open();

    expect(project.outside()).toEqual([]);
  });

  test('may have been removed already, and the next supervisor removes the directory', () => {
    const project = arrange({ isDead: true });
    const [path = ''] = project.outside();
    rmSync(path);

    project.open();

    expect(existsSync(dirname(path))).toBe(false);
  });

  test('stays while a supervisor is alive that may be saving it', () => {
    const project = arrange({ isDead: false });

    project.open();

    expect(project.outside()).toHaveLength(1);
  });
});

test('a restart without its environment is refused with an explanation', () => {
  const project = openProject();
  const first = project.open();
  const { id } = first.supervisor.start(server);
  first.clock.advance(100);
  project.crash(first.supervisor);
  createEnvironmentStore(toStatePaths(project.state)).remove(id);

  const next = project.open();
  const handle = next.supervisor.get(id);

  expect(() => handle?.restart()).toThrow(
    /values of its environment variables \(GITHUB_TOKEN, PAGER\) are lost/,
  );
  expect(handle?.view().status).toBe('backgrounded');
});

test('an automatic restart without its environment fails with an explanation', () => {
  const project = openProject();
  const first = project.open();
  const restart = { policy: 'permanent', minBackoff: 5_000 } as const;
  const { id } = first.supervisor.start({ ...server, restart });
  first.clock.advance(100);
  project.crash(first.supervisor);
  createEnvironmentStore(toStatePaths(project.state)).remove(id);

  const next = project.open();
  next.backend.lastRun.exit({ code: 1 });
  next.clock.advance(10_000);

  expect(JSON.stringify(next.supervisor.get(id)?.view())).toContain('It cannot be restarted');
  expect(next.backend.runs.filter(({ isAdopted }) => !isAdopted)).toEqual([]);
});

test('values in an older record are used and not written again', () => {
  const project = openProject();
  const first = project.open();
  const { id } = first.supervisor.start(server);
  first.clock.advance(100);
  project.crash(first.supervisor);
  createEnvironmentStore(toStatePaths(project.state)).remove(id);
  const path = join(project.state, 'processes', `${id}.json`);
  const record = JSON.parse(readFileSync(path, 'utf8'));
  const { envNames: _, ...revival } = record.revival;
  writeFileSync(path, JSON.stringify({ ...record, revival: { ...revival, env: { GITHUB_TOKEN: token } } }));

  const next = project.open();
  next.clock.advance(100);

  expect(project.everything()).not.toContain(token);
  expect(next.backend.lastRun.request.env).toMatchObject({ GITHUB_TOKEN: token });
  expect(project.outside().map((kept) => readFileSync(kept, 'utf8'))).toEqual([
    JSON.stringify({ GITHUB_TOKEN: token }),
  ]);
});
