import { existsSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { CaptureAnswer, ScreenCapture } from '../../machines/process/terminal.ts';
import type { ProcessPlan } from '../../src/process/process-plan.ts';
import { ProcessTerminal } from '../../src/process/process-terminal.ts';
import { refuseScreen } from '../../src/spawn/refusals.ts';
import { toScreenText } from '../../src/spawn/terminal/screen-text.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const secret = 'hunter2-secret';
const usual = { columns: 80, rows: 24 };
const wide = { columns: 100, rows: 30 };

const screenOf = (line: string): ScreenCapture => ({
  columns: 40,
  rows: 1,
  lines: [line],
  scrollback: [],
  cursor: { column: 0, row: 0, isVisible: true },
  isAlternate: false,
  title: null,
  isLast: true,
});

/** Opens the terminal of a process whose last screen is a file and whose backend answers `answer`. */
function arrange(
  options: { answer?: CaptureAnswer; hasEnded?: boolean; files?: object | null; screenPath?: string } = {},
) {
  const directory = tempDir();
  onTestFinished(() => directory.remove());
  const { answer = null, hasEnded = false, files = {}, screenPath = directory.file('x.screen') } = options;
  const errors: unknown[] = [];
  const plan = { id: 'tool_x', screenPath, files, launch: { size: usual }, terminal: { type: 'terminal' } };
  const terminal = new ProcessTerminal(plan as unknown as ProcessPlan, {
    deps: { emit: (_, event) => event.type === 'process.faulted' && errors.push(event.error) },
    life: { ask: async (_, otherwise) => (answer as typeof otherwise) ?? otherwise, hasEnded },
    output: { log: { secrets: [secret] } },
  });
  return {
    terminal,
    errors,
    leave: (line: string) => writeFileSync(screenPath, toScreenText(screenOf(line))),
  };
}

async function seen(terminal: ProcessTerminal) {
  const answer = await terminal.capture();
  return answer.ok ? answer.screen.lines.join('\n') : answer.code;
}

test('a last screen that tmux wrote shows no secret', async () => {
  const { terminal, leave } = arrange({ hasEnded: true });
  leave(`got ${secret} |`);

  expect(await seen(terminal)).toBe('got [redacted]**** |');
});

test('the last screen is shown only where nothing runs', async () => {
  const between = arrange({ answer: refuseScreen('notRunning', 'It is not there.') });
  const broken = arrange({ answer: refuseScreen('broken', 'It cannot be read.') });
  for (const { leave } of [between, broken]) leave('long ago');

  expect(await seen(between.terminal)).toBe('long ago');
  expect(await seen(broken.terminal)).toBe('broken');
});

test('a new attempt forgets the screen of the last', async () => {
  const { terminal } = arrange({ files: null });
  terminal.keep(screenOf('first'));
  expect(await seen(terminal)).toBe('first');

  terminal.beginAttempt();

  expect(await seen(terminal)).toBe('notRunning');
});

test('a screen after the end creates no directory', () => {
  const place = tempDir();
  const screenPath = `${place.path}/x.screen`;
  const { terminal, errors } = arrange({ files: null, hasEnded: true, screenPath });
  place.remove();

  terminal.keep(screenOf('late'));

  expect(existsSync(place.path)).toBe(false);
  expect(errors).toEqual([]);
});

test('a screen that cannot be saved reports an error', () => {
  const { terminal, errors } = arrange({ files: null, screenPath: '/proc/nowhere/at/all/x.screen' });

  terminal.keep(screenOf('lost'));

  expect(errors).toHaveLength(1);
});

const interactive = { command: ['editor'] as [string], interactive: true, background: true } as const;

test('a later attempt starts in the ordered size', async () => {
  const { supervisor, backend, clock } = createVirtualHarness({ hasTerminal: true });
  const handle = supervisor.start(interactive);
  await handle.resize(wide);

  handle.restart();
  clock.advance(60_000);
  const { terminal } = handle.view();

  expect(backend.runs.map(({ sizes }) => sizes[0])).toEqual([usual, wide]);
  expect(terminal).toMatchObject(wide);
  await supervisor.shutdown();
});

test('an adopted process restarts in the ordered size', async () => {
  const { open, crash } = openDirectoryHarness({ hasTerminal: true });
  const first = open();
  const { id } = first.supervisor.start({ ...interactive, lifetime: 'persistent' });
  await first.supervisor.get(id)?.resize(wide);
  first.clock.advance(100);
  crash(first.supervisor);

  const next = open();
  const handle = next.supervisor.get(id);
  const adopted = handle?.view().terminal;
  handle?.restart();
  next.clock.advance(60_000);

  expect(adopted).toMatchObject(wide);
  expect(next.backend.runs.map(({ sizes }) => sizes[0])).toEqual([wide, wide]);
});

test('refused keys leave the awaited input as it is', async () => {
  await using rig = createVirtualHarness({ hasTerminal: true });
  const { supervisor, backend, clock } = rig;
  const handle = supervisor.start(interactive);
  backend.lastRun.print('name? ');
  const awaited = await handle.awaitedInput();

  const refused = await handle.sendKeys({ text: 'a', keys: ['Entr'] });
  const afterRefused = handle.view().awaitsInput;
  const typing = handle.sendKeys({ text: 'a' });
  const whileTyped = handle.view().awaitsInput;
  clock.advance(1_000);
  await typing;

  expect(refused).toMatchObject({ ok: false, code: 'invalid' });
  expect(awaited).toMatchObject({ prompt: 'name?' });
  expect(afterRefused).toEqual(awaited);
  expect(whileTyped).toBeNull();
});

/** A terminal whose commands are written down, or a process without one. */
function record(terminal: object | null, { isRunning = true, secrets = [] as readonly string[] } = {}) {
  const [asked, emitted]: [unknown[], string[]] = [[], []];
  const plan = {
    ...{ id: 'tool_x', screenPath: null, files: null, launch: { size: usual }, terminal },
    backend: { mode: 'pipe' },
  };
  const process = new ProcessTerminal(plan as unknown as ProcessPlan, {
    deps: { emit: (_, { type }) => void emitted.push(type) },
    life: {
      ask: async (toCommand, otherwise) => {
        const { reply: _, ...command } = toCommand(() => {}) as unknown as { reply: unknown };
        asked.push(command);
        return isRunning ? ({ ok: true, bytesWritten: 1 } as never) : otherwise;
      },
      hasEnded: false,
    },
    output: { log: { secrets } },
  });
  return { process, asked, emitted };
}

const enter = { type: 'key', key: 'Enter', ctrl: false, alt: false, shift: false };
const inTerminal = { type: 'terminal', columns: 1, rows: 1 };

test.each([
  [{ text: 'ls' }, [{ type: 'text', text: 'ls' }]],
  [{ text: 'ls', pressEnter: true }, [{ type: 'text', text: 'ls' }, enter]],
  [{ text: 'a\nb' }, [{ type: 'paste', text: 'a\nb' }]],
  [{ text: 'a\rb' }, [{ type: 'paste', text: 'a\rb' }]],
  [{ text: 'ls', paste: true }, [{ type: 'paste', text: 'ls' }]],
  [{ keys: ['Enter'] }, [enter]],
  [{ text: 'x', keys: ['Enter'], pressEnter: true }, [{ type: 'text', text: 'x' }, enter, enter]],
])('keys are typed in order: %j', async (order, strokes) => {
  const { process, asked, emitted } = record(inTerminal);

  await process.sendKeys(order as never);

  expect(asked).toEqual([{ type: 'terminal.sendKeys', strokes }]);
  expect(emitted).toEqual(['input.written']);
});

const noTerminal = 'Process tool_x has no terminal. It runs as "pipe": start it with interactive: true.';
const because = 'Process tool_x has pipes instead of a terminal: tmux is not installed.';

test.each([
  [null, noTerminal],
  [{ type: 'none', because: 'It has pipes instead of a terminal: tmux is not installed.' }, because],
])('a process without a terminal refuses with the reason (%#)', async (terminal, error) => {
  const { process, asked } = record(terminal);
  const refused = { ok: false, bytesWritten: 0, code: 'noTerminal', error };

  expect(await process.sendKeys({ text: 'x' } as never)).toEqual(refused);
  expect(await process.paste('x')).toEqual(refused);
  expect(await process.resize(wide)).toEqual(refused);
  expect(await process.capture()).toEqual({ ok: false, code: 'noTerminal', error });
  expect(asked).toEqual([]);
});

test('a terminal of a process that does not run refuses', async () => {
  const { process } = record(inTerminal, { isRunning: false });
  const refused = { ok: false, bytesWritten: 0, code: 'notRunning', error: 'Process tool_x is not running.' };

  expect(await process.sendKeys({ text: 'x' } as never)).toEqual(refused);
  expect(await process.paste('x')).toEqual(refused);
  expect(await process.resize(wide)).toEqual(refused);
  expect(process.orderedSize).toEqual(usual);
});

test('an ended terminal without a screen says where to look', async () => {
  const { terminal } = arrange({ hasEnded: true });

  expect(await terminal.capture()).toEqual({
    ok: false,
    code: 'broken',
    error: 'The last screen of tool_x was removed or never captured. Read its output instead.',
  });
});

test.each([
  ['nothing secret', 'plain', 'drawn', 'drawn'],
  ['a secret on the screen', secret, 'drawn', null],
  ['a secret in the drawing alone', 'plain', `x ${secret}`, null],
  ['no drawing', 'plain', null, null],
])('a drawing is withheld where it would show a secret: %s', async (_, line, drawing, expected) => {
  const screen = { ...screenOf(line), isLast: false };
  const { terminal } = arrange({ answer: { ok: true, screen, drawing, offset: 3 } });

  expect(await terminal.capture()).toMatchObject({ ok: true, drawing: expected, offset: 3 });
  expect(terminal.view).toMatchObject({ columns: 40, rows: 1 });
});

test('a terminal has the size that was ordered, once it is taken', async () => {
  const { process, asked } = record(inTerminal);

  await process.resize(wide);

  expect(asked).toEqual([{ type: 'process.resize', ...wide }]);
  expect([process.orderedSize, process.view]).toEqual([wide, { ...inTerminal, ...wide }]);
});
