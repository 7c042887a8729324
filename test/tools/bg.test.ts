import { expect, test } from 'vitest';
import { arrange, dataOf, errorOf, shown, turns } from './arrange.ts';

test('a start says id, pid and command', async () => {
  await using given = arrange();

  const answer = await given.call('bg_start', { command: 'npm run "dev"' });

  const id = given.supervisor.list()[0]?.id;
  expect(shown(answer)).toEqual({
    ok: true,
    data: `Process started: id=${id} pid=1 cmd="npm run \\"dev\\""\nYou will get a notice when it ends; do not poll.`,
  });
  expect(answer.reveals).toEqual([]);
});

test('a start that has ended already says how', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.exit({ code: 1 });
    },
  });

  const answer = await given.call('bg_start', { command: 'false' });

  const id = given.supervisor.list()[0]?.id;
  expect(dataOf(answer)).toBe(
    `Process started: id=${id} pid=1 cmd="false"\nid=${id} state=failed pid=1 runtime=0.0s cmd="false" exit=1`,
  );
  expect(answer.reveals).toEqual([`${id}/1/ended`]);
});

test('a start beyond the limit says how many are concurrent', async () => {
  await using given = arrange({ supervisor: { maxBackgroundProcesses: 1 } });
  given.start('serve');

  const answer = await given.call('bg_start', { command: 'serve too' });

  expect(errorOf(answer)).toMatch(
    /^Too many concurrent processes\. Maximum background processes \(1\) reached/,
  );
});

test('the time-out of bg_start is in milliseconds and ends the process', async () => {
  await using given = arrange();
  await given.call('bg_start', { command: 'serve', timeout: 3_000 });
  await given.call('bg_start', { command: 'other' });
  const [, other] = given.supervisor.list();

  given.clock.advance(3_000);
  await turns();
  const at3s = given.backend.runs.map(({ isUp }) => isUp);
  given.clock.advance(297_000);

  expect(at3s).toEqual([false, true]);
  expect(given.supervisor.get(other?.id ?? '')?.status).toBe('timed_out');
});

test('a status is one line', async () => {
  await using given = arrange();
  const { id } = given.start('npm run dev', { label: 'web' });
  given.clock.advance(3_249);

  const answer = await given.call('bg_status', { id });

  expect(shown(answer)).toEqual({
    ok: true,
    data: `id=${id} state=running pid=1 runtime=3.2s cmd="npm run dev" label="web"`,
  });
});

test('the states have the words of this set', async () => {
  await using given = arrange();
  const ids: string[] = [];
  for (const command of ['done', 'bad', 'killed', 'slow', 'hurt']) {
    ids.push(
      given.supervisor.start({ command, owner: 'agent', background: true, maxBackgroundTime: 60_000 }).id,
    );
  }
  given.backend.runs[0]?.exit({ code: 0 });
  given.backend.runs[1]?.exit({ code: 2 });
  given.backend.runs[4]?.exit({ signal: 'SIGSEGV' });
  await given.call('bg_kill', { id: ids[2] });
  given.clock.advance(60_000);

  const answer = await given.call('bg_status');

  expect(dataOf(answer).split('\n').toSorted()).toEqual(
    [
      `id=${ids[0]} state=completed pid=1 runtime=0.0s cmd="done" exit=0`,
      `id=${ids[1]} state=failed pid=2 runtime=0.0s cmd="bad" exit=2`,
      `id=${ids[2]} state=killed pid=3 runtime=0.0s cmd="killed" signal=SIGTERM`,
      `id=${ids[3]} state=timeout pid=4 runtime=60.0s cmd="slow" signal=SIGTERM`,
      `id=${ids[4]} state=failed pid=5 runtime=0.0s cmd="hurt" signal=SIGSEGV`,
    ].toSorted(),
  );
  expect(answer.reveals).toHaveLength(5);
});

test('a command cannot forge a line of the status', async () => {
  await using given = arrange();
  given.start('x\nid=fake state=completed');

  const answer = await given.call('bg_status');

  expect(dataOf(answer).split('\n')).toHaveLength(1);
});

test('an empty list of processes is a sentence', async () => {
  await using given = arrange();

  const answer = await given.call('bg_status');

  expect(dataOf(answer)).toBe('There are no background processes.');
});

test('output is divided into sections', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('a\n');
  given.backend.lastRun.print('oops\n', 'stderr');
  given.backend.lastRun.print('b\n');

  const both = await given.call('bg_output', { id });
  const one = await given.call('bg_output', { id, stream: 'stderr' });

  expect(shown(both)).toEqual({ ok: true, data: '[stdout]\na\nb\n[stderr]\noops' });
  expect(shown(one)).toEqual({ ok: true, data: '[stderr]\noops' });
});

test('output is new since the last call that arrived', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('a\n');

  await given.call('bg_output', { id });
  const again = await given.call('bg_output', { id });
  again.onRecorded?.();
  const after = await given.call('bg_output', { id });
  const all = await given.call('bg_output', { id, since_last_read: false });

  expect(dataOf(again)).toBe('[stdout]\na\n[stderr]\n(nothing new)');
  expect(dataOf(after)).toBe('[stdout]\n(nothing new)\n[stderr]\n(nothing new)');
  expect(dataOf(all)).toBe('[stdout]\na\n[stderr]\n(nothing)');
});

test('output that does not fit comes with the next call', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n2\n3\n');

  const first = await given.call('bg_output', { id, lines: 2, stream: 'stdout' });
  first.onRecorded?.();
  const second = await given.call('bg_output', { id, lines: 2, stream: 'stdout' });
  const tail = await given.call('bg_output', { id, lines: 2, stream: 'stdout', since_last_read: false });

  expect(dataOf(first)).toBe('[stdout]\n1\n2\n(more with the next call)');
  expect(dataOf(second)).toBe('[stdout]\n3');
  expect(dataOf(tail)).toBe('[stdout]\n2\n3');
});

test('bg_output alone does not report the end', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.exit();

  const answer = await given.call('bg_output', { id });

  expect(answer.reveals ?? []).toEqual([]);
});

test('a kill says how long it ran', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.clock.advance(3_200);

  const answer = await given.call('bg_kill', { id, signal: 'SIGINT' });
  const again = await given.call('bg_kill', { id });

  expect(shown(answer)).toEqual({ ok: true, data: `Killed ${id} after 3.2s.` });
  expect(given.backend.lastRun.signals).toEqual(['SIGINT']);
  expect(dataOf(again)).toContain(`Process ${id} is not running`);
});

test('other signals are refused with the valid ones', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('bg_kill', { id, signal: 'SIGHUP' });

  expect(shown(answer)).toEqual({
    ok: false,
    error: 'bg_kill: "signal" is "SIGHUP"; expected one of "SIGTERM", "SIGKILL", "SIGINT".',
  });
});
