import { expect, test } from 'vitest';
import { threadCpuMs } from '../../../src/output/grep.ts';
import { endBy } from '../../support/orders.ts';
import { watchDelays } from '../terminal/processor-time.ts';
import { createStage, shell } from './arrange.ts';

test('a program gets an answer when it asks for the cursor', async () => {
  const { play } = createStage();

  const run = play(
    shell(`stty raw -echo; printf '\\033[3;5Hab\\033[6n'; head -c 6 | od -An -c; printf asked; sleep 300`),
  );
  const { lines } = await run.shows('asked');

  expect(lines.join('').replaceAll(/\s+/g, ' ')).toContain('ab 033 [ 3 ; 7 R');
});

test('a program that reads no answers does no harm', async () => {
  const { play } = createStage();

  const run = play(
    shell(`stty raw -echo; i=0; while [ $i -lt 20000 ]; do printf '\\033[6n'; i=$((i+1)); done; echo done`),
  );
  await run.fact('process.exited');
  await run.fact('output.ended');

  expect(run.kept.at(-1)?.lines[0]).toBe('done');
});

test('huge screen sequences do not block the program', async () => {
  const { play } = createStage();

  const run = play(
    shell(`for f in I L M S T Z b; do printf 'x\\033[2147483647'$f; done; printf '\\033[Hover'; sleep 300`),
  );
  await run.shows('over');
  run.send(endBy('SIGKILL'));

  await run.fact('tree.gone');
});

test('a flood neither grows memory nor blocks other work', { timeout: 60_000 }, async () => {
  const { play } = createStage();
  const run = play(shell('yes "$(seq -s " " 1 20)"'), { terminal: { columns: 120, rows: 40 } });
  await run.shows('19 20');
  const before = process.memoryUsage();
  const watch = watchDelays(5);

  const offsets: number[] = [];
  const answerMs: number[] = [];
  const grownBytes = () => (offsets.at(-1) ?? 0) - (offsets[0] ?? 0);
  for (const soonestMs = performance.now() + 3_000; ; ) {
    const askedAtMs = threadCpuMs();
    const answer = await run.capture();
    answerMs.push(threadCpuMs() - askedAtMs);
    if (answer.ok) offsets.push(answer.offset);
    if (performance.now() > soonestMs && grownBytes() > 1_000_000) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const delays = watch.end();
  const after = process.memoryUsage();
  run.send(endBy('SIGKILL'));
  await run.fact('tree.gone');
  await run.fact('output.ended');

  // The log may keep 16 MiB here; the rest is uncollected garbage.
  expect(after.rss - before.rss).toBeLessThan(150 * 1024 * 1024);
  expect(delays.percentile(95)).toBeLessThan(50);
  expect(answerMs.toSorted((a, b) => a - b)[Math.floor(answerMs.length / 2)]).toBeLessThan(500);
});
