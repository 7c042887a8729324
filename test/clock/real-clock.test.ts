import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { waitUntil } from '../support/os.ts';

const clock = createRealClock();
const wait = (forMs: number): Promise<void> =>
  new Promise((resolve) => void clock.at(clock.nowMs() + forMs, resolve));

test('no timer is called before its time', async () => {
  const early: number[] = [];
  const times = Array.from({ length: 50 }, (_, index) => clock.nowMs() + ((index * 37) % 41));

  await Promise.all(
    times.map(
      (atMs) =>
        new Promise<void>((resolve) => {
          clock.at(atMs, () => {
            if (clock.nowMs() < atMs) early.push(atMs);
            resolve();
          });
        }),
    ),
  );

  expect(early).toEqual([]);
});

test('timers due together keep their order', async () => {
  const called: string[] = [];
  const now = clock.nowMs();
  clock.at(now - 1, () => called.push('second'));
  clock.at(now - 2, () => called.push('first'));
  clock.at(now - 1, () => called.push('third'));
  expect(called).toEqual([]);

  await wait(5);

  expect(called).toEqual(['first', 'second', 'third']);
});

test('a limit of thirty days does not come at once', async () => {
  const called: number[] = [];
  const cancels = [2 ** 31 - 1, 2 ** 31, 30 * 24 * 3600_000, Number.MAX_SAFE_INTEGER].map((afterMs) =>
    clock.at(clock.nowMs() + afterMs, () => called.push(afterMs)),
  );

  await wait(20);
  for (const cancel of cancels) cancel();

  expect(called).toEqual([]);
});

test('times that are no numbers are refused', () => {
  expect(() => clock.at(Number.NaN, () => {})).toThrow(/atMs must be a finite number.*NaN/);
  expect(() => clock.at(Number.POSITIVE_INFINITY, () => {})).toThrow(/Infinity/);
});

test('a timer cancelled by one due with it stays silent', async () => {
  const called: string[] = [];
  const now = clock.nowMs();
  clock.at(now, () => cancelSecond());
  const cancelSecond = clock.at(now, () => called.push('second'));

  await wait(5);
  cancelSecond();

  expect(called).toEqual([]);
});

test('a timer that arms itself for now lets others run', async () => {
  let turns = 0;
  let stop = false;
  const again = (): void => {
    turns += 1;
    if (!stop) clock.at(clock.nowMs(), again);
  };
  again();

  // It is a timer itself: were others not let run, it would never look.
  await waitUntil(() => turns > 1);
  stop = true;
});

test('ten thousand cancelled timers hold nothing', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const timeoutsBefore = countTimeouts();
  const owner = armAndCancel();

  await wait(1);
  collectGarbage();

  expect(owner.deref()).toBeUndefined();
  expect(countTimeouts()).toBeLessThan(timeoutsBefore + 10);
});

/** In a function of its own, so that no variable of the test holds the owner. */
function armAndCancel(): WeakRef<object> {
  const owner = { called: 0 };
  for (let index = 0; index < 10_000; index += 1) {
    clock.at(clock.nowMs() + 3600_000 + index, () => (owner.called += 1))();
  }
  return new WeakRef(owner);
}

function countTimeouts(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('a throwing timer stops no other', async () => {
  const said = await run(`
    process.on('uncaughtException', (error) => console.log('uncaught', error.message));
    clock.at(0, () => { throw new Error('bug'); });
    clock.at(0, () => console.log('other'));
    clock.at(clock.nowMs() + 5, () => console.log('later'));`);

  expect(said.toSorted()).toEqual(['later', 'other', 'uncaught bug']);
});

test('the program lives as long as a timer that is not idle', async () => {
  const said = await run(`
    clock.at(clock.nowMs() + 3600_000, () => console.log('idle'), { idle: true });
    clock.at(clock.nowMs() + 1800_000, () => console.log('cancelled'))();
    clock.at(clock.nowMs() + 20, () => console.log('busy'));`);

  expect(said).toEqual(['busy']);
});

test('a fact that waits comes before a late timer', async () => {
  const said = await run(`
    import { spawn } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    const child = spawn('true');
    child.once('exit', () => console.log('exit'));
    clock.at(clock.nowMs() + 20, () => console.log('deadline'));
    const endMs = clock.nowMs() + 200;
    const isBusy = () => clock.nowMs() < endMs || !readFileSync('/proc/' + child.pid + '/stat', 'utf8').includes(') Z ');
    while (isBusy());`);

  expect(said).toEqual(['exit', 'deadline']);
});

test('a timer set while events are handled does not overtake those that came meanwhile', async () => {
  const said = await run(`
    import { createConnection, createServer } from 'node:net';
    import { once } from 'node:events';
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = createConnection(server.address().port, '127.0.0.1');
    const [far] = await once(server, 'connection');
    let isOver = false;
    const tick = () => isOver || clock.at(clock.nowMs(), tick);
    tick();
    far.once('data', () => {
      far.once('data', () => console.log('event'));
      near.write('two');
      clock.at(clock.nowMs() + 10, () => console.log('deadline'));
      const endMs = clock.nowMs() + 50;
      while (clock.nowMs() < endMs);
    });
    near.write('one');
    clock.at(clock.nowMs() + 300, () => {
      isOver = true;
      near.destroy();
      server.close();
    });`);

  expect(said).toEqual(['event', 'deadline']);
});

async function run(script: string): Promise<string[]> {
  const module = new URL('../../src/clock/real-clock.ts', import.meta.url);
  const start = `import { createRealClock } from ${JSON.stringify(module)}; const clock = createRealClock();`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    start + script,
  ]);
  return stdout.trim().split('\n');
}
