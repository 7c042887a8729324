import { expect, test } from 'vitest';
import { type WatchFlags, watchProcess } from '../../../src/cli/verbs/watch.ts';
import type { FinalView } from '../../../src/process/process-view.ts';
import type { WatchNews } from '../../../src/watches/watch.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const view = processView({ id: 'tool_a', label: 'build' });
const facts = { id: 'n1', at: 0, owner: 'client_1', process: view };
const quiet: WatchNews = { ...facts, type: 'watch.quiet', quietMs: 5_000, lines: ['$ make', 'ok\x1b[2J'] };
const matched: WatchNews = {
  ...{ ...facts, type: 'watch.matched', pattern: 'E', matches: 12 },
  ...{ lines: ['E1'], suppressed: 11 },
};
const failed: WatchNews = { ...facts, type: 'watch.failed', why: 'it takes too long' };

function watch(news: readonly WatchNews[], flags: WatchFlags = {}) {
  const fake = fakeIo();
  const state = fakeStateDirectory([{ view, news }]);
  const code = watchProcess({ word: 'build', flags, io: fake.io, open: state.open });
  return { ...fake, ...state, code };
}

test('watch prints notifications until the process ends', async () => {
  const { code, stdout, stderr, orders, end } = watch([quiet, matched], { quietFor: '5s' });

  end(endedView({ id: 'tool_a', label: 'build' }) as FinalView);

  expect(await code).toBe(0);
  expect(stdout().replaceAll(/^\d\d:\d\d:\d\d /gm, '')).toBe(
    [
      'tool_a (build) has been silent for 5s',
      '  $ make',
      '  ok',
      'tool_a (build) printed 12 matching lines, 11 of them not shown',
      '  E1',
      '',
    ].join('\n'),
  );
  expect(stderr()).toContain('tool_a (build) exited with code 7');
  expect(orders[0]).toEqual({ watch: 'tool_a', quiet: 5_000 });
});

test('watch --once ends with the first notification', async () => {
  const { code, stdout } = watch([quiet, matched], { once: true, json: true });

  expect(await code).toBe(0);
  expect(JSON.parse(stdout())).toEqual(quiet);
});

test('watch --once fails when the process ends first', async () => {
  const { code, end } = watch([], { once: true });

  end(endedView({ id: 'tool_a' }) as FinalView);

  expect(await code).toBe(1);
});

test('watch reports a failed watch', async () => {
  const { code, stderr } = watch([failed], { pattern: '(a+)+$' });

  expect(await code).toBe(1);
  expect(stderr()).toContain('The watch failed: it takes too long');
});

test('watch refuses --quiet-for with --pattern', () => {
  expect(() => watch([], { quietFor: '5s', pattern: 'E' })).toThrow('two watches');
});
