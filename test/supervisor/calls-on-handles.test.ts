import { describe, expect, onTestFinished, test } from 'vitest';
import { errorCodes, TroupeError } from '../../src/index.ts';
import { createVirtualHarness } from '../support/virtual.ts';

function open() {
  const { supervisor, backend, clock } = createVirtualHarness();
  onTestFinished(() => void supervisor.shutdown());
  return { clock, backend, supervisor };
}

describe('a supervisor', () => {
  test('finds the newest live process by its label', async () => {
    const { supervisor, backend } = open();
    const first = supervisor.start({ command: 'a', label: 'web' });
    const second = supervisor.start({ command: 'b', label: 'web' });

    const whileBothRun = supervisor.find('web');
    backend.lastRun.exit({ code: 0 });
    await second.ended;
    const whileOneRuns = supervisor.find('web');
    backend.runs[0]?.exit({ code: 0 });
    await first.ended;

    expect(whileBothRun?.id).toBe(second.id);
    expect(whileOneRuns?.id).toBe(first.id);
    expect(supervisor.find('web')?.id).toBe(first.id);
    expect(supervisor.find('db')).toBeUndefined();
  });

  test('starts a group', async () => {
    const { supervisor } = open();

    const group = supervisor.startGroup({ processes: { web: { command: 'serve' } } });

    expect(group.get('web')?.view().label).toBe('web');
    expect(supervisor.find('web')?.id).toBe(group.get('web')?.id);
  });

  test('kills with a signal given by its name', async () => {
    const { supervisor, backend } = open();
    const handle = supervisor.start({ command: 'serve' });
    const { id } = supervisor.start({ command: 'serve' });

    await handle.kill('SIGINT');
    await supervisor.kill(id, 'SIGHUP');

    expect(backend.runs.map(({ signals }) => signals)).toEqual([['SIGINT'], ['SIGHUP']]);
  });
});

describe('a handle', () => {
  test('waits for a condition on the clock of its supervisor', async () => {
    const { supervisor, clock } = open();
    const handle = supervisor.start({ command: 'serve' });

    const waiting = handle.waitFor({ text: 'ready', timeout: '1h' });
    clock.advance(3_600_000);

    expect((await waiting).end).toEqual({ type: 'timeout' });
  });

  test('gives its lines the time of day', () => {
    const { supervisor, backend, clock } = open();
    const handle = supervisor.start({ command: 'serve' });
    const times: number[] = [];
    handle.lines$.subscribe((line) => line.type === 'line' && times.push(line.at));

    const at = clock.epochMs();
    backend.lastRun.print('one\n');
    clock.advance(90_000);
    backend.lastRun.print('two\n');

    expect(times).toEqual([at, at + 90_000]);
  });
});

test('the code of an error is one of the list', () => {
  const { supervisor } = open();

  try {
    supervisor.start({ command: '' });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(TroupeError);
    expect(Object.keys(errorCodes)).toContain((error as TroupeError).code);
  }
});
