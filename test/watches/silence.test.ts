import { expect, test, vi } from 'vitest';
import { ProcessTerminal } from '../../src/process/process-terminal.ts';
import { createWatchRig } from './watch-rig.ts';

const types = (news: readonly { readonly type: string }[]) => news.map(({ type }) => type);

test('silence from the start is reported once', async () => {
  await using rig = createWatchRig();
  const { id } = rig.start();
  rig.supervisor.watch(id, { quiet: '2s' });

  await rig.pass(1_950);
  expect(rig.news).toEqual([]);
  await rig.pass(50);
  await rig.pass(60_000);

  expect(rig.news).toMatchObject([{ type: 'watch.quiet', owner: 'user', quietMs: 2_000, lines: [] }]);
  expect(rig.supervisor.watches()).toMatchObject([{ processId: id, told: 1 }]);
});

test('silence is counted from the last output', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { quiet: 1_000 });

  await rig.pass(600);
  run.print('Password: ');
  await rig.pass(950);
  expect(rig.news).toEqual([]);
  await rig.pass(50);

  expect(rig.news).toMatchObject([{ type: 'watch.quiet', lines: ['Password: '] }]);
});

test('each silence after new output is reported again', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { quiet: 500 });

  for (const word of ['one', 'two', 'three']) {
    run.print(`${word}\n`);
    await rig.pass(3_000);
  }

  expect(types(rig.news)).toEqual(['watch.quiet', 'watch.quiet', 'watch.quiet']);
  expect(new Set(rig.news.map((news) => news.id)).size).toBe(3);
  expect(rig.news.at(-1)).toMatchObject({ lines: ['one', 'two', 'three'] });
});

test('a picture that is drawn again is silence', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ interactive: true });
  run.screen = ['Continue? [y/n]'];
  rig.supervisor.watch(id, { quiet: 1_000 });

  for (let frame = 0; frame < 30; frame += 1) {
    run.print('\x1b[HContinue? [y/n]');
    await rig.pass(100);
  }

  expect(rig.news).toMatchObject([{ type: 'watch.quiet', lines: ['Continue? [y/n]'] }]);
});

test.for([80, 100, 125, 250])('a spinner that turns every %i ms is never silent', async (frameMs) => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ interactive: true });
  rig.supervisor.watch(id, { quiet: 1_000 });

  for (let frame = 0; frame * frameMs < 20_000; frame += 1) {
    run.screen = ['|/-\\'[frame % 4] ?? ''];
    run.print(`\r${run.screen[0]}`);
    await rig.pass(frameMs);
  }
  expect(rig.news).toEqual([]);
  await rig.pass(1_500);

  expect(types(rig.news)).toEqual(['watch.quiet']);
});

test('a screen is looked at four times a second at most', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ interactive: true });
  const capture = vi.spyOn(ProcessTerminal.prototype, 'capture');
  rig.supervisor.watch(id, { quiet: '1m' });

  for (let ms = 0; ms < 10_000; ms += 10) {
    run.print('x');
    await rig.pass(10);
  }
  const busy = capture.mock.calls.length;
  await rig.pass(40_000);

  expect(busy).toBeGreaterThan(30);
  expect(busy).toBeLessThanOrEqual(42);
  expect(capture.mock.calls.length - busy).toBeLessThanOrEqual(1);
  capture.mockRestore();
});

test('a queued process is not silent', async () => {
  await using rig = createWatchRig({ maxParallelTools: 1 });
  const first = rig.start({ background: false, timeout: 0 });
  const { id } = rig.start({ background: false, timeout: 0, interactive: true });
  rig.supervisor.watch(id, { quiet: 1_000 });

  await rig.pass(10_000);
  expect(rig.news).toEqual([]);
  first.run.exit();
  await rig.pass(3_000);

  expect(rig.supervisor.get(id)?.status).toBe('running');
  expect(types(rig.news)).toEqual(['watch.quiet']);
});

test('silence begins with the attempt, not with the wait for it', async () => {
  await using rig = createWatchRig({ maxParallelTools: 1 });
  const first = rig.start({ background: false, timeout: 0 });
  const { id } = rig.start({ background: false, timeout: 0 });
  rig.supervisor.watch(id, { quiet: 2_000 });
  await rig.pass(1_900);

  first.run.exit();
  await rig.pass(1_950);
  expect(rig.news).toEqual([]);
  await rig.pass(100);

  expect(types(rig.news)).toEqual(['watch.quiet']);
});

test('a watch continues while its screen cannot be read', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ interactive: true });
  const handle = rig.supervisor.get(id);
  const capture = handle?.capture.bind(handle);
  const broken = async () => ({ ok: false, code: 'broken', error: 'It broke.' }) as const;
  Object.assign(handle ?? {}, { capture: broken });
  rig.supervisor.watch(id, { quiet: 1_000 });

  await rig.pass(1_000);
  expect(rig.news).toMatchObject([{ type: 'watch.quiet', lines: [] }]);
  Object.assign(handle ?? {}, { capture });
  run.screen = ['back'];
  run.print('back');
  await rig.pass(2_000);

  expect(rig.news.slice(1)).toMatchObject([{ type: 'watch.quiet', lines: ['back'] }]);
});

test('a second watch of an owner takes the place of the first', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { quiet: 500 });

  rig.supervisor.watch(id, { pattern: 'ready' });
  await rig.pass(2_000);
  run.print('ready\n');
  await rig.pass(100);

  expect(types(rig.news)).toEqual(['watch.matched']);
  expect(rig.supervisor.watches()).toMatchObject([{ wants: { type: 'pattern', pattern: 'ready' } }]);
});

test('watches of two owners know nothing of each other', async () => {
  await using rig = createWatchRig();
  const { id } = rig.start();
  rig.supervisor.watch(id, { quiet: 500, owner: 'a' });
  rig.supervisor.watch(id, { quiet: 700, owner: 'b' });

  expect(rig.supervisor.unwatch(id, { owner: 'a' })).toBe(true);
  await rig.pass(1_000);

  expect(rig.news.map(({ owner }) => owner)).toEqual(['b']);
  expect(rig.supervisor.watches({ owner: 'a' })).toEqual([]);
  expect(rig.supervisor.watches({ process: id })).toHaveLength(1);
});

test('unwatch without a watch succeeds', async () => {
  await using rig = createWatchRig();
  const { id } = rig.start();

  expect(rig.supervisor.unwatch(id)).toBe(false);
  expect(rig.supervisor.unwatch('tool_unknown2')).toBe(false);
});

test('an ended process reports no silence', async () => {
  await using rig = createWatchRig();
  const plain = rig.start();
  const drawn = rig.start({ interactive: true });
  for (const { id } of [plain, drawn]) rig.supervisor.watch(id, { quiet: 500 });
  await rig.pass(300);

  for (const { run } of [plain, drawn]) run.exit();
  await rig.pass(5_000);

  expect(rig.news).toEqual([]);
  expect(rig.supervisor.watches()).toEqual([]);
});

test('an end in the middle of a look is an end', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ interactive: true });
  rig.supervisor.watch(id, { quiet: 500 });
  await rig.pass(450);

  rig.clock.advance(50);
  run.exit();
  await rig.pass(5_000);

  expect(rig.news).toEqual([]);
});

test('a watch continues across a restart', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ restart: { policy: 'permanent', minBackoff: 5_000 } });
  rig.supervisor.watch(id, { quiet: 1_000 });
  await rig.pass(500);

  run.exit({ code: 1 });
  await rig.pass(3_000);
  expect(rig.news).toEqual([]);
  await rig.pass(5_000);

  expect(rig.supervisor.get(id)?.view().attempt).toBe(2);
  expect(types(rig.news)).toEqual(['watch.quiet']);
});

test('idle watches cost a timer each at most', async () => {
  await using rig = createWatchRig({ maxBackgroundProcesses: 64 });
  const ids = Array.from({ length: 64 }, (_, index) => rig.start({ interactive: index % 2 === 0 }).id);
  await rig.pass(50);
  const before = rig.clock.pending;

  for (const id of ids) {
    rig.supervisor.watch(id, { quiet: 1_000 });
    rig.supervisor.watch(id, { pattern: 'x', owner: 'another' });
  }
  await rig.pass(500);
  expect(rig.clock.pending - before).toBe(64);
  await rig.pass(1_000);

  expect(rig.news).toHaveLength(64);
  expect(rig.clock.pending).toBe(before);
});

test.for([
  [{ quiet: 50 }, /"quiet" is 50; expected a duration of at least 100 ms/],
  [{ quiet: 'soon' }, /"quiet" is "soon"; expected a duration/],
  [{ pattern: '(' }, /"pattern" is "\("; expected a JavaScript regular expression \(Unterminated group\)/],
  [{ pattern: '' }, /"pattern" is ""/],
  [{ pattern: 'x', quiet: 200 }, /"quiet" is 200; expected no value beside "pattern"/],
  [{ interval: 5 }, /there is no option "interval"/],
] as const)('a watch of %j is refused', async ([options, message]) => {
  await using rig = createWatchRig();
  const { id } = rig.start();

  expect(() => rig.supervisor.watch(id, options as object)).toThrow(message);
  expect(rig.supervisor.watches()).toEqual([]);
});

test('only what lives can be watched', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  run.exit();
  await rig.pass(1_000);

  expect(() => rig.supervisor.watch(id)).toThrow(expect.objectContaining({ code: 'not-found' }));
  expect(() => rig.supervisor.watch('tool_unknown2')).toThrow(
    expect.objectContaining({ code: 'not-found', message: expect.stringContaining(id) }),
  );
});

test.for([[{}], [undefined], [5], [null]])('%j is no id of a process', async ([id]) => {
  await using rig = createWatchRig();
  const wrong = expect.objectContaining({
    code: 'invalid-option',
    message: expect.stringMatching(/"id" is .*; expected the id of a process/),
  });

  expect(() => rig.supervisor.watch(id as never, {})).toThrow(wrong);
  expect(() => rig.supervisor.unwatch(id as never)).toThrow(wrong);
});
