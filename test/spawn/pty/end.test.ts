import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { OutputSink } from '../../../src/output/output-sink.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { endBy } from '../../support/orders.ts';
import { tempDir, waitUntil } from '../../support/os.ts';
import { createStage, shell } from './arrange.ts';

test('an exit is a code or a signal name', async () => {
  const { play } = createStage();
  const ends = {
    'exit 0': { code: 0, signal: null },
    'exit 255': { code: 255, signal: null },
    'kill -TERM $$': { code: null, signal: 'SIGTERM' },
    'kill -SEGV $$': { code: null, signal: 'SIGSEGV' },
    'kill -40 $$': { code: null, signal: 'SIGRTMIN+6' },
  };

  for (const [script, exit] of Object.entries(ends)) {
    const run = play(shell(script));
    expect((await run.fact('process.exited')).exit).toEqual(exit);
    // Beside another terminal Node reports the end, which has no name for real-time signals.
    await run.fact('output.ended');
  }
});

test('the exit is reported while a leftover holds the terminal', async () => {
  using directory = tempDir();
  const { play } = createStage();
  const late = `until test -e '${directory.file('go')}'; do sleep 0.1; done; echo late; printf "and last"`;

  const run = play(shell(`trap "" HUP; (${late}) & echo up`));
  await run.fact('process.exited');
  run.send({ type: 'output.settle', quietMs: 50 });
  await run.fact('output.quieted');
  const hasEnded = run.facts.some(({ type }) => type === 'output.ended');
  writeFileSync(directory.file('go'), '');
  await run.fact('output.ended');

  expect(hasEnded).toBe(false);
  expect(run.text()).toBe('up\r\nlate\r\nand last');
  expect(run.kept.at(0)?.lines.slice(0, 2)).toEqual(['up', '']);
  expect(run.kept.at(-1)?.lines.slice(0, 3)).toEqual(['up', 'late', 'and last']);
});

test('a program that closes its terminal keeps running', async () => {
  const { play } = createStage();

  const run = play(shell('exec < /dev/null > /dev/null 2>&1; sleep 0.5; echo back > /dev/tty; exit 6'));
  const { exit } = await run.fact('process.exited');
  await run.fact('output.ended');

  expect(exit).toEqual({ code: 6, signal: null });
  expect(run.text()).toBe('back\r\n');
  expect(run.facts.filter(({ type }) => type === 'output.ended')).toHaveLength(1);
});

test('output unread at the exit is not lost', async () => {
  const { play } = createStage();
  let release = () => {};
  const toSink = (sink: OutputSink): OutputSink => ({
    write: (stream, bytes) => {
      sink.write(stream, bytes);
      return false;
    },
    whenWritable: (callback) => {
      release = callback;
    },
    isBackpressured: true,
    get bytes() {
      return sink.bytes;
    },
    get lastWriteAtMs() {
      return sink.lastWriteAtMs;
    },
  });

  const run = play(shell('for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; exit 7'), { toSink });
  await run.fact('process.exited');
  // Longer than a reader may wait for the rest.
  await new Promise((resolve) => setTimeout(resolve, 400));
  const before = run.facts.some(({ type }) => type === 'output.ended');
  const ended = run.fact('output.ended');
  await waitUntil(() => {
    release();
    return run.facts.some(({ type }) => type === 'output.ended');
  });
  await ended;

  expect(before).toBe(false);
  expect(run.text()).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `line ${i}\r\n`).join(''));
});

test('no output is lost at the end, forty times', { timeout: 60_000 }, async () => {
  const { play } = createStage();
  const lines = Array.from({ length: 800 }, (_, index) => `${index + 1}\r\n`).join('');

  for (let round = 0; round < 40; round += 1) {
    const run = play(shell('seq 1 800; printf last'));
    await run.fact('output.ended');
    expect(run.text()).toBe(`${lines}last`);
  }
});

test('a daemon that leaves at once is still found', async () => {
  const { play } = createStage();

  for (let round = 0; round < 10; round += 1) {
    const run = play(shell('trap "" HUP; setsid sleep 300 < /dev/null > /dev/null 2>&1 & exit 0'));
    await run.fact('process.exited');
    await waitUntil(() => run.alive().length > 0);
    run.send({ type: 'tree.survey' });
    const { leftovers } = await run.fact('tree.surveyed');
    run.send(endBy('SIGKILL'));
    await run.fact('tree.gone');

    expect(leftovers.length).toBeGreaterThan(0);
    expect(run.alive()).toEqual([]);
  }
});

test('a leader that was never seen still has a tree', async () => {
  const table = createCurrentTable();
  let hidden = 0;
  const { play } = createStage({
    table: {
      ...table,
      // As if the exit had been collected before the first look.
      read: async (pid) => {
        hidden += pid === process.pid ? 0 : 1;
        return pid === process.pid ? table.read(pid) : null;
      },
    },
  });

  const run = play(shell('trap "" HUP; sleep 300 & exit 0'));
  await run.fact('process.exited');
  run.send({ type: 'tree.survey' });
  const { leftovers } = await run.fact('tree.surveyed');
  run.send(endBy('SIGKILL'));
  await run.fact('tree.gone');

  expect(hidden).toBeGreaterThan(0);
  // By its command line it may still be the shell that forked it.
  expect(leftovers).toHaveLength(1);
  expect(run.alive()).toEqual([]);
});

test('a command that ends while others start keeps its own terminal', async () => {
  const { play } = createStage();

  const runs = Array.from({ length: 12 }, (_, index) => play(shell(`echo number ${index}; exit ${index}`)));
  const exits = await Promise.all(runs.map((run) => run.fact('process.exited')));
  await Promise.all(runs.map((run) => run.fact('output.ended')));

  expect(exits.map(({ exit }) => exit.code)).toEqual(runs.map((_, index) => index));
  expect(runs.map((run) => run.text())).toEqual(runs.map((_, index) => `number ${index}\r\n`));
});
