import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { News } from '../../src/mailbox/news.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const withinMs = 60_000;

function linesOf(news: News | undefined): readonly string[] {
  return news !== undefined && 'lines' in news ? news.lines : [];
}

test('a real program is watched until its end', { timeout: 150_000 }, async () => {
  await using stage = openRealHarness({ stateDirectory: false, handleSignals: false });
  const { supervisor } = stage;
  const news: News[] = [];
  supervisor.news$.subscribe((each) => news.push(each));
  const handle = supervisor.start({
    command: 'echo begun >&2; read answer; echo "error: $answer"; read again; printf "error: last"',
    stdin: 'pipe',
    background: true,
  });
  // Before it says something a slow machine is silent, too.
  await waitUntil(() => handle.read().text === 'begun\n', { withinMs });
  supervisor.watch(handle.id, { quiet: 300 });
  supervisor.watch(handle.id, { pattern: '^error: (.*)', owner: 'another' });

  await waitUntil(() => news.length === 1, { withinMs });
  await handle.writeLine('höchst');
  await waitUntil(() => news.length === 3, { withinMs });
  await handle.writeLine('go');
  await handle.ended;

  expect(news[0]).toMatchObject({ type: 'watch.quiet', lines: ['begun'] });
  expect(news.slice(1, 3)).toContainEqual(
    expect.objectContaining({ type: 'watch.matched', matches: 1, lines: ['error: höchst'] }),
  );
  expect(news.slice(1, 3)).toContainEqual(
    expect.objectContaining({ type: 'watch.quiet', lines: ['begun', 'error: höchst'] }),
  );
  // On a slow machine its last words are followed by a silence.
  expect(news.slice(3)).toContainEqual(
    expect.objectContaining({ type: 'watch.matched', owner: 'another', lines: ['error: last'] }),
  );
  expect(supervisor.watches()).toEqual([]);
});

test('a program that writes its log itself is watched, too', { timeout: 150_000 }, async () => {
  await using stage = openRealHarness({ handleSignals: false });
  const { supervisor } = stage;
  const news: News[] = [];
  supervisor.news$.subscribe((each) => news.push(each));
  const handle = supervisor.start({
    command: 'for i in 1 2 3; do echo "step $i"; sleep 0.1; done; sleep 300',
    lifetime: 'persistent',
    background: true,
  });
  supervisor.watch(handle.id, { quiet: 1_000 });
  supervisor.watch(handle.id, { pattern: 'step 3', owner: 'another' });
  const of = (owner: string) => news.filter((each) => each.owner === owner);

  await waitUntil(() => of('another').length === 1 && linesOf(of('user').at(-1)).length === 3, { withinMs });
  await handle.kill();

  expect(of('another')).toMatchObject([{ type: 'watch.matched', lines: ['step 3'] }]);
  // On a slow machine there are silences before.
  expect(of('user').at(-1)).toMatchObject({ type: 'watch.quiet', lines: ['step 1', 'step 2', 'step 3'] });
});

test('watches and schedules keep no program alive', { timeout: 150_000 }, () => {
  const program = `
    import { createSupervisor } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
    const supervisor = createSupervisor({ stateDirectory: false });
    supervisor.schedule({ message: 'Look.', every: '1h' });
    const handle = supervisor.start({ command: 'true', background: true });
    supervisor.watch(handle.id, { quiet: '1h' });
    console.log('done');
  `;

  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 120_000,
  });

  expect(out.toString()).toBe('done\n');
});

test('a single write on a terminal ends a silence', { timeout: 150_000 }, async () => {
  await using stage = openRealHarness({ stateDirectory: false, handleSignals: false, terminal: 'pty' });
  const { supervisor } = stage;
  const shown: (readonly string[])[] = [];
  supervisor.news$.subscribe((news) => {
    if (news.type === 'watch.quiet') shown.push(news.lines);
  });
  const handle = supervisor.start({
    // Late enough that the screen was not just looked at.
    command: 'printf working; until [ -e go ]; do sleep 0.1; done; sleep 1; printf " Continue?"; sleep 600',
    interactive: true,
    background: true,
  });
  supervisor.watch(handle.id, { quiet: 300 });

  await waitUntil(() => shown.at(-1)?.includes('working'), { withinMs });
  writeFileSync(stage.file('go'), '');
  await waitUntil(() => shown.at(-1)?.includes('working Continue?'), { withinMs });
  await handle.kill();

  // A program that has not come up yet is silent before an empty screen.
  expect(shown.filter((lines) => lines.length > 0)).toEqual([['working'], ['working Continue?']]);
});
