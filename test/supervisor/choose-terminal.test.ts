import { expect, test } from 'vitest';
import { chooseTerminal } from '../../src/supervisor/choose-terminal.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import type { SupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';

const tmux = { mode: 'tmux', attachCommand: (id: string) => ['tmux', 'attach', id] };
const pty = { mode: 'pty' };
const noTmux = { why: 'tmux is not installed', remedy: 'Install tmux' };
const noPty = { why: 'node-pty cannot be loaded', remedy: 'Install node-pty' };

/** Chooses for an interactive process, or for this one, in a supervisor with these terminals. */
function choose(
  {
    terminal = 'auto',
    control = true,
    directory = '/home/me/app/.troupe' as string | null,
    cwd = '/home/me/app/src',
    found = { tmux, pty } as { tmux: object; pty: object },
  } = {},
  spec: object = {},
) {
  const deps = {
    ...{ cwd, settings: { terminal, control }, paths: directory === null ? null : { directory } },
    terminals: { tmux: () => found.tmux, pty: () => found.pty },
  } as unknown as SupervisorDeps;
  const given = parseSpec({ command: 'vim', interactive: true, size: { columns: 90, rows: 30 }, ...spec });
  return chooseTerminal({ lifetime: 'session', ...given } as never, { id: 'tool_a', host: null, deps });
}

test('tmux is chosen where it is found, with its own way to attach', () => {
  expect(choose()).toEqual({
    view: {
      ...{ type: 'terminal', columns: 90, rows: 30, attach: ['tmux', 'attach', 'tool_a'] },
      because: 'A terminal of tmux: tmux is installed.',
    },
    backend: tmux,
    size: { columns: 90, rows: 30 },
  });
});

test.each([
  ['interactive is false', { interactive: false }],
  ['a function runs', { command: undefined, interactive: undefined, size: undefined, run: async () => {} }],
])('no terminal is chosen where %s', (_, spec) => {
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  const whole = 'run' in given ? given : { command: 'vim', ...given };
  const deps = {} as SupervisorDeps;

  expect(chooseTerminal(parseSpec(whole), { id: 'tool_a', host: null, deps })).toBeNull();
});

const attach = ['troupe', 'attach', 'tool_a'];
const named = ['troupe', 'attach', '--state-dir'];

test.each([
  ['tmux is missing', { found: { tmux: noTmux, pty } }, {}, 'tmux is not installed', attach],
  ['a pty is wanted', { terminal: 'pty' }, {}, 'the supervisor\'s option "terminal" is "pty"', attach],
  ['nothing is kept', { directory: null }, {}, 'tmux needs a "stateDirectory" to write to', null],
  ['no log is wanted', {}, { logFile: false }, 'tmux needs a log, and "logFile" is false', attach],
  [
    'no one can attach',
    { terminal: 'pty', control: false },
    {},
    'the supervisor\'s option "terminal" is "pty"',
    null,
  ],
  [
    'the directory has another name',
    { terminal: 'pty', directory: '/home/me/app/state' },
    {},
    'the supervisor\'s option "terminal" is "pty"',
    [...named, '/home/me/app/state', 'tool_a'],
  ],
  [
    'the directory is not above',
    { terminal: 'pty', directory: '/home/you/.troupe' },
    {},
    'the supervisor\'s option "terminal" is "pty"',
    [...named, '/home/you/.troupe', 'tool_a'],
  ],
])('a pty is chosen where %s', (_, supervisor, spec, why, way) => {
  expect(choose(supervisor, spec)).toEqual({
    view: { type: 'terminal', columns: 90, rows: 30, attach: way, because: `A terminal of pty: ${why}.` },
    backend: pty,
    size: { columns: 90, rows: 30 },
  });
});

test.each([
  ['terminals are not wanted', { terminal: 'none' }, {}, 'the supervisor\'s option "terminal" is "none"'],
  ['only tmux is wanted', { terminal: 'tmux', found: { tmux: noTmux, pty } }, {}, 'tmux is not installed'],
  [
    'neither is found',
    { found: { tmux: noTmux, pty: noPty } },
    {},
    'tmux is not installed, and node-pty cannot be loaded',
  ],
  ['both lack the same', { found: { tmux: noPty, pty: noPty } }, {}, 'node-pty cannot be loaded'],
  [
    'secrets would be shown',
    {},
    { secrets: { T: 'hunter2' } },
    'tmux writes the log itself, where "secrets" cannot be hidden',
  ],
])('pipes are chosen where %s', (_, supervisor, spec, why) => {
  expect(choose(supervisor, spec)).toEqual({
    view: { type: 'none', because: `It has pipes instead of a terminal: ${why}.` },
    backend: null,
    size: null,
  });
});

test('secrets are hidden in a pty', () => {
  expect(choose({ terminal: 'pty' }, { secrets: { T: 'hunter2' } })?.backend).toBe(pty);
});

test.each([
  [{ found: { tmux: noTmux, pty } }, {}, 'tmux is not installed. Install tmux'],
  [
    { terminal: 'none' },
    {},
    'the supervisor\'s option "terminal" is "none". Set that option to "auto" or "tmux"',
  ],
  [
    { terminal: 'pty' },
    {},
    'the supervisor\'s option "terminal" is "pty". Set that option to "auto" or "tmux"',
  ],
  [{ directory: null }, {}, 'tmux needs a "stateDirectory" to write to. Give the supervisor one'],
  [{}, { logFile: false }, 'tmux needs a log, and "logFile" is false. Leave "logFile" out'],
  [
    {},
    { secrets: { T: 'hunter2' } },
    'tmux writes the log itself, where "secrets" cannot be hidden. Leave "secrets" out, and type them with `writeSecret`',
  ],
])('a persistent terminal without tmux is refused with what to do (%#)', (supervisor, spec, clause) => {
  expect(() => choose(supervisor, { lifetime: 'persistent', ...spec })).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: `start: "interactive" with "lifetime": "persistent" needs tmux, and ${clause}, leave "interactive" out, or use "session".`,
    }),
  );
});
