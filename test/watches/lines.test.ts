import { expect, test, vi } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { createWatchRig } from './watch-rig.ts';

test('a matching line is reported', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  run.print('error: before the watch\n');
  rig.supervisor.watch(id, { pattern: 'error' });

  run.print('fine\nerror: one\nfine\n');
  await rig.pass(100);

  expect(rig.news).toMatchObject([
    { type: 'watch.matched', pattern: 'error', matches: 1, lines: ['error: one'], suppressed: 0 },
  ]);
});

test('a line that was begun before the watch counts as a whole', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  run.print('ERROR: old\nan ERR');
  await rig.pass(100);
  rig.supervisor.watch(id, { pattern: '^an ERROR$' });
  rig.supervisor.watch(id, { pattern: 'ERROR', owner: 'another' });

  run.print('OR\n');
  await rig.pass(100);

  expect(rig.news).toMatchObject([
    { matches: 1, lines: ['an ERROR'] },
    { matches: 1, lines: ['an ERROR'], owner: 'another' },
  ]);
});

test('later matches are counted and reported together', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: '^error' });

  for (let line = 0; line < 1_001; line += 1) {
    run.print(`error ${line}\nfine\n`);
    if (line % 7 === 0) await rig.pass(50);
  }
  await rig.pass(30_000);

  const [first, ...rest] = rig.news.filter((news) => news.type === 'watch.matched');
  expect(first).toMatchObject({ matches: 1, lines: ['error 0'] });
  expect(rest.reduce((sum, { matches }) => sum + matches, 0)).toBe(1_000);
  expect(rest.at(-1)?.lines.at(-1)).toBe('error 1000');
  for (const { matches, lines, suppressed } of rest) expect(lines.length + suppressed).toBe(matches);
  expect(rig.news.length).toBeLessThanOrEqual(3);
});

test('a line counts however it is cut', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: 'höchst ready' });

  for (const part of ['it is h\x1b[3', '1mö', 'chst rea', 'dy now', '\nnext']) {
    run.print(part);
    await rig.pass(100);
  }
  await rig.pass(20_000);

  expect(rig.news).toMatchObject([{ matches: 1, lines: ['it is höchst ready now'] }]);
});

test('a prompt counts once even if its line continues', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: 'Continue' });

  run.print('Continue? ');
  await rig.pass(100);
  run.print('yes');
  await rig.pass(100);
  run.print(' please\nContinue?');
  await rig.pass(20_000);

  expect(rig.news).toMatchObject([
    { matches: 1, lines: ['Continue? '] },
    { matches: 1, lines: ['Continue?'] },
  ]);
});

test('both streams are searched, each by itself', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: '^ready (out|err)$' });

  run.print('ready ', 'stdout');
  run.print('ready err\n', 'stderr');
  run.print('out\n', 'stdout');
  await rig.pass(100);

  expect(rig.news).toMatchObject([{ matches: 2, lines: ['ready err', 'ready out'] }]);
});

test('matches in the last output come before the end', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  const order: string[] = [];
  rig.supervisor.news$.subscribe((news) => order.push(news.type));
  rig.supervisor.completions$.subscribe(() => order.push('completion'));
  rig.supervisor.watch(id, { pattern: 'error' });
  run.print('error one\n');
  await rig.pass(100);

  run.print('error two\nerror three');
  run.exit({ code: 1 });
  await rig.pass(20_000);

  expect(order).toEqual(['watch.matched', 'watch.matched', 'completion']);
  expect(rig.news.at(-1)).toMatchObject({ matches: 2, lines: ['error two', 'error three'] });
});

test('an expression that explodes ends its watch alone', { timeout: 60_000 }, async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: '^(a+)+$', owner: 'careless' });
  rig.supervisor.watch(id, { pattern: 'aaa!' });

  run.print(`${'a'.repeat(40)}!\n`);
  await rig.pass(100);

  expect(rig.news).toMatchObject([
    { type: 'watch.failed', owner: 'careless', why: expect.stringContaining('takes too long') },
    { type: 'watch.matched', owner: 'user' },
  ]);
  expect(rig.supervisor.watches()).toMatchObject([{ owner: 'user' }]);
  expect(rig.supervisor.get(id)?.status).toBe('backgrounded');
});

test('secrets are hidden in reported lines', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ secrets: { TOKEN: 'hunter2-hunter2' } });
  rig.supervisor.watch(id, { pattern: 'token' });

  run.print('token is hunter2-\x1b[1mhunter2\x1b[0m ok\n');
  await rig.pass(100);

  expect(rig.news).toMatchObject([{ type: 'watch.matched', lines: ['token is [redacted] ok'] }]);
});

test('an expression that explodes at the end is reported and nothing more', { timeout: 60_000 }, async () => {
  const warn = vi.spyOn(console, 'warn');
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: '^(a+)+$' });

  run.print(`${'a'.repeat(40)}!\n`);
  run.exit();
  await rig.pass(20_000);

  expect(rig.news).toMatchObject([{ type: 'watch.failed' }]);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test('a flood is counted to the line', { timeout: 60_000 }, async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start({ maxBufferBytes: 256 * 1024 });
  rig.supervisor.watch(id, { pattern: '5$' });

  for (let block = 0; block < 50; block += 1) {
    const lines = Array.from({ length: 4_000 }, (_, line) => `line ${block * 4_000 + line}`);
    run.print(`${lines.join('\n')}\n`);
  }
  await rig.pass(11_000);

  const counts = rig.news.map((news) => (news.type === 'watch.matched' ? news.matches : 0));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20_000);
  expect(rig.news.at(-1)).toMatchObject({ suppressed: expect.any(Number), lines: { length: 20 } });
});

test('a flood is searched in turns', { timeout: 60_000 }, async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: '^err(or)?$' });
  const isTold = () => rig.news.length > 0;
  run.print('error\n'.repeat(130_000));

  const toldAtOnce = isTold();
  await waitUntil(isTold);
  const [first] = rig.news;
  await rig.pass(11_000);

  expect(toldAtOnce).toBe(false);
  expect(first).toMatchObject({ type: 'watch.matched' });
  expect(first?.type === 'watch.matched' && first.matches).toBeLessThan(60_000);
  expect(rig.news.reduce((sum, news) => sum + (news.type === 'watch.matched' ? news.matches : 0), 0)).toBe(
    130_000,
  );
});
