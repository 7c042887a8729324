import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEnvironmentStore } from '../../src/store/environment-store.ts';
import { toRuntimeDirectoryName } from '../../src/store/socket-paths.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { tempDir } from '../support/os.ts';

/** A store whose places are a runtime directory and a temp directory of the test. */
function arrange() {
  const temp = tempDir();
  const [runtime, shared] = [temp.file('run'), temp.file('tmp')];
  for (const place of [runtime, shared]) mkdirSync(place, { mode: 0o700 });
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);
  vi.stubEnv('TMPDIR', shared);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    temp.remove();
  });
  const paths = toStatePaths(temp.file('.troupe'));
  const name = toRuntimeDirectoryName(paths.directory);
  return {
    store: createEnvironmentStore(paths),
    ...{ paths, runtime, shared },
    inRuntime: join(runtime, name),
    inShared: join(shared, name),
  };
}

const hasUserDirectory = existsSync(`/run/user/${process.geteuid?.()}`);
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('an environment is kept for its owner in the runtime directory', () => {
  const { store, inRuntime, inShared } = arrange();

  store.save('tool_a', { A: 'b', GONE: null });

  expect(store.read('tool_a')).toEqual({ A: 'b', GONE: null });
  expect(store.read('tool_b')).toBeNull();
  expect([modeOf(inRuntime), modeOf(join(inRuntime, 'tool_a.env'))]).toEqual([0o700, 0o600]);
  expect(existsSync(inShared)).toBe(false);
});

test('a later environment takes the place of an earlier one', () => {
  const { store } = arrange();

  store.save('tool_a', { A: 'a long value' });
  store.save('tool_a', { B: 'c' });

  expect(store.read('tool_a')).toEqual({ B: 'c' });
});

test.each(['', 'relative/run'])('without a runtime directory the temp directory is used: %j', (runtime) => {
  const { store, inShared } = arrange();
  vi.stubEnv('XDG_RUNTIME_DIR', runtime);

  store.save('tool_a', { A: 'b' });

  // The machine may have a runtime directory of its own.
  expect(existsSync(join(inShared, 'tool_a.env'))).toBe(!hasUserDirectory);
  expect(store.read('tool_a')).toEqual({ A: 'b' });
  store.remove('tool_a');
});

test('a runtime directory that others can enter is not used', () => {
  const { store, runtime, inRuntime } = arrange();
  chmodSync(runtime, 0o755);

  store.save('tool_a', { A: 'b' });

  expect(existsSync(inRuntime)).toBe(false);
  expect(store.read('tool_a')).toEqual({ A: 'b' });
  store.remove('tool_a');
});

test('a place that others can enter is passed over, and nothing in it is believed', () => {
  const { store, inRuntime, inShared } = arrange();
  mkdirSync(inRuntime);
  chmodSync(inRuntime, 0o755);
  writeFileSync(join(inRuntime, 'tool_a.env'), '{"A":"forged"}', { mode: 0o600 });

  expect(store.read('tool_a')).toBeNull();
  store.save('tool_a', { A: 'b' });
  expect(store.read('tool_a')).toEqual({ A: 'b' });
  expect(existsSync(join(inShared, 'tool_a.env'))).toBe(true);
  store.remove('tool_a');
  store.prune(() => true);

  expect(readdirSync(inRuntime)).toEqual(['tool_a.env']);
});

test('an environment that another program stored elsewhere is found', () => {
  const { store, inShared } = arrange();
  mkdirSync(inShared, { mode: 0o700 });
  writeFileSync(join(inShared, 'tool_a.env'), '{"A":"b"}', { mode: 0o600 });

  expect(store.read('tool_a')).toEqual({ A: 'b' });
});

test.each(['', '{', '[1]', '7', 'null', '{"A":7}', '{"A":["b"]}'])(
  'a file that contains %j is no environment',
  (text) => {
    const { store, inRuntime } = arrange();
    store.save('tool_a', {});
    writeFileSync(join(inRuntime, 'tool_a.env'), text);

    expect(store.read('tool_a')).toBeNull();
  },
);

test('the last environment takes its directory with it', () => {
  const { store, inRuntime } = arrange();
  store.save('tool_a', {});
  store.save('tool_b', {});

  store.remove('tool_a');
  store.remove('tool_a');
  expect(readdirSync(inRuntime)).toEqual(['tool_b.env']);
  store.remove('tool_b');

  expect(existsSync(inRuntime)).toBe(false);
});

test('orphans are removed, and nothing else', () => {
  const { store, inRuntime } = arrange();
  for (const id of ['tool_a', 'tool_b']) store.save(id, {});
  writeFileSync(join(inRuntime, 'tool_a.sock'), '');
  const asked: string[] = [];

  store.prune((id) => {
    asked.push(id);
    return id === 'tool_a';
  });

  expect(asked.sort()).toEqual(['tool_a', 'tool_b']);
  expect(readdirSync(inRuntime).sort()).toEqual(['tool_a.sock', 'tool_b.env']);
});

test('an empty directory is removed with the orphans', () => {
  const { store, inRuntime } = arrange();
  store.save('tool_a', {});

  store.prune(() => true);
  store.prune(() => true);

  expect(existsSync(inRuntime)).toBe(false);
});

test('an id that leads elsewhere has no environment', () => {
  const { store } = arrange();

  for (const act of [() => store.save('../a', {}), () => store.read('../a'), () => store.remove('../a')])
    expect(act).toThrow('"../a" is not an id');
});

test.skipIf(hasUserDirectory)('without a private place nothing is saved', () => {
  const { store, paths, inShared } = arrange();
  vi.stubEnv('XDG_RUNTIME_DIR', '');
  const inTmp = join('/tmp', toRuntimeDirectoryName(paths.directory));
  for (const place of [inShared, inTmp]) {
    mkdirSync(place);
    chmodSync(place, 0o755);
  }
  onTestFinished(() => rmdirSync(inTmp));

  expect(() => store.save('tool_a', {})).toThrow(
    expect.objectContaining({
      code: 'state-directory',
      message: `The environment of a process of "${paths.directory}" was not saved: neither XDG_RUNTIME_DIR nor the temp directory has a place that is closed to other users. The process runs, but no other supervisor can restart it.`,
    }),
  );
});

test('a link in the place of an environment is not followed', () => {
  const { store, inRuntime } = arrange();
  store.save('tool_b', { A: 'b' });
  symlinkSync('tool_b.env', join(inRuntime, 'tool_a.env'));

  expect(store.read('tool_a')).toBeNull();
  expect(() => store.save('tool_a', {})).toThrow('is a symbolic link');
});
