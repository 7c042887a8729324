import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script } from '../../src/testing/index.ts';
import { toAnswerText } from '../../src/tools/answer-text.ts';
import { arrange, turns } from './arrange.ts';

/**
 * Plays a command by its words: `exit 3` prints to both streams and exits, `crash` is ended by a signal, `missing` cannot be started, `flood` prints
 * more than any answer shows. Anything else prints a line and runs.
 */
const play: Script = (run) => {
  const { work } = run.request;
  const script = work.type === 'shell' ? work.script : work.type === 'argv' ? (work.args.at(-1) ?? '') : '';
  if (script === 'missing')
    return run.tell({
      type: 'process.spawnFailed',
      cause: 'other',
      code: 'ENOENT',
      message: 'no such shell',
    });
  run.comeUp();
  run.screen = ['$ ', `${script}> `];
  if (run.sizes.length > 0) return run.print('drawn');
  run.print(script === 'flood' ? 'x'.repeat(300_000) : 'out\n');
  run.print('warned\n', 'stderr');
  if (script === 'crash') run.exit({ signal: 'SIGSEGV' });
  const code = /^exit (\d+)$/.exec(script)?.[1];
  if (code !== undefined) run.exit({ code: Number(code) });
};

type Given = ReturnType<typeof arrange>;
/** A call, or something that happens between two calls. */
type Step = readonly [tool: string, input?: object] | ((given: Given) => void);

const print =
  (text: string, stream?: 'stderr'): Step =>
  ({ backend }) =>
    backend.lastRun.print(text, stream);
const pass =
  (ms: number): Step =>
  ({ clock }) =>
    clock.advance(ms);
const exit =
  (code: number): Step =>
  ({ backend }) =>
    backend.lastRun.exit({ code });
const leave: Step = ({ backend }) => {
  backend.lastRun.children = [{ pid: 99, pgid: 99, startedAt: '0', command: 'daemon' }];
  backend.lastRun.exit();
};

/** Makes the calls one after another. Ids are numbered: `tool_1` in an input is the first process. */
async function transcribe(
  steps: readonly Step[],
  { terminal = false, limit }: { readonly terminal?: boolean; readonly limit?: number } = {},
): Promise<string> {
  const supervisor = { epochMs: 0, cwd: '/', ...(limit && { maxBackgroundProcesses: limit }) };
  await using given = arrange({ script: play, terminal, supervisor });
  const known = new Map<string, string>();
  const number = (text: string, pattern: RegExp, prefix: string) =>
    text.replaceAll(pattern, (id) => {
      const count = [...known.values()].filter((each) => each.startsWith(prefix)).length;
      if (!known.has(id)) known.set(id, `${prefix}${count + 1}`);
      return known.get(id) ?? id;
    });
  const hide = (text: string) =>
    [
      [/\btool_\w{8}\b/g, 'tool_'] as const,
      [/\bschedule_\w{8}\b/g, 'schedule_'] as const,
      [/\b\d{7,10}\b(?! bytes)/g, '700000'] as const,
    ].reduce((hidden, [pattern, prefix]) => number(hidden, pattern, prefix), text);
  const reveal = (text: string) =>
    [...known].reduce((shown, [id, name]) => shown.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), id), text);
  const lines: string[] = [];
  for (const step of steps) {
    if (typeof step === 'function') {
      step(given);
      continue;
    }
    const [tool, input = {}] = step;
    const pending = await given.begin(tool, JSON.parse(reveal(JSON.stringify(input))));
    for (; !pending.isOver; given.clock.advance(50)) await turns(5);
    const answer = await pending.answer;
    answer.onRecorded?.();
    const { reveals = [] } = answer;
    const text = toAnswerText(answer)
      .replace(/x{100,}/g, (run) => `(x ${run.length} times)`)
      // Depends on what is installed.
      .replace(/(A terminal of scripted|It has pipes instead of a terminal): [^.]*\./, '$1: ….');
    lines.push(`> ${tool} ${JSON.stringify(input)}`, hide(text));
    if (reveals.length > 0) lines.push(`  reveals ${hide(reveals.join(' '))}`);
    lines.push('');
  }
  return lines.join('\n');
}

const unknown = { process_id: 'tool_none' };
const first = { process_id: 'tool_1' };

const transcripts: Readonly<
  Record<string, readonly [steps: readonly Step[], options?: { terminal?: boolean; limit?: number }]>
> = {
  run_command: [
    [
      ['run_command', { command: 'exit 0' }],
      ['run_command', { command: 'exit 3', label: 'build', cwd: '/tmp' }],
      ['run_command', { command: 'crash' }],
      ['run_command', { command: 'missing' }],
      ['run_command', { command: 'flood', timeout_seconds: 1.5 }],
      ['run_command', { command: 'serve', timeout_seconds: 2 }],
      ['list_processes', { include_completed: true }],
      ['run_command', { command: '' }],
      ['run_command', { command: 'serve', timeout_seconds: 0 }],
    ],
  ],
  start_process: [
    [
      ['start_process', { command: 'serve', label: 'web' }],
      ['start_process', { command: 'serve' }],
      ['start_process', { command: 'serve', force: true, lifetime: 'parent' }],
      ['start_process', { command: 'exit 3' }],
      ['start_process', { command: 'flood' }],
      ['start_process', { command: 'wizard', interactive: true }],
      ['start_process', { command: 'cat', stdin: true, ready_line: 'ready', ready_within_seconds: 1 }],
      ['start_process', { command: 'more' }],
      ['list_processes'],
    ],
    { limit: 6 },
  ],
  inspect: [
    [
      ['list_processes'],
      ['start_process', { command: 'serve', stdin: true }],
      print('1\n2\n3\nPassword: '),
      pass(3_250),
      ['check_process', first],
      ['get_process_output', { ...first, tail: 2 }],
      ['get_process_output', { ...first, since_last_read: true }],
      ['get_process_output', { ...first, since_last_read: true }],
      ['get_process_output', { ...first, offset: 1, limit: 2 }],
      ['get_process_output', { ...first, stream: 'stderr' }],
      ['get_process_output', { ...first, grep: 'OUT', ignore_case: true }],
      ['get_process_output', { ...first, grep: '2', context: 1 }],
      ['get_process_output', { ...first, grep: '(' }],
      leave,
      ['check_process', first],
      ['list_processes', { include_completed: true }],
      ['get_process_output', { ...first, limit: 1 }],
      ['kill_process', first],
      ['check_process', first],
      ['check_process', unknown],
      ['get_process_output', { ...first, tail: 0 }],
    ],
  ],
  control: [
    [
      ['start_process', { command: 'cat', stdin: true }],
      ['write_process', { ...first, input: 'hello' }],
      ['write_process', { ...first, input: 'hello\n', newline: true }],
      ['write_process', { ...first, input: 'x', newline: false, end_input: true }],
      ['write_process', { ...first, end_input: true }],
      ['write_process', first],
      ['write_process', { ...first, input: 'x', secret: 'token' }],
      ['write_process', { ...first, secret: 'token' }],
      ['signal_process', { ...first, signal: 'SIGHUP' }],
      ['signal_process', { ...first, signal: 'SIGSTOP' }],
      ['check_process', first],
      ['signal_process', { ...first, signal: 'SIGCONT' }],
      ['signal_process', { ...first, signal: 'SIGKILL' }],
      ['signal_process', { ...first, signal: 'SIGNOPE' }],
      ['restart_process', first],
      ['kill_process', first],
      ['kill_process', first],
      ['restart_process', first],
      ['signal_process', { ...first, signal: 'SIGHUP' }],
      ['write_process', { ...first, input: 'late' }],
      ['start_process', { command: 'serve' }],
      ['write_process', { process_id: 'tool_2', input: 'x' }],
      ['write_process', { process_id: 'tool_2', secret: 'token' }],
      ...(['write_process', 'signal_process', 'restart_process', 'kill_process'] as const).map(
        (tool): Step => [tool, { ...unknown, input: 'x', signal: 'SIGHUP' }],
      ),
      ['kill_process', unknown],
      ['restart_process', unknown],
      ['signal_process', { ...unknown, signal: 'SIGHUP' }],
      ['write_process', { ...unknown, input: 'x' }],
    ],
  ],
  terminal: [
    [
      ['start_process', { command: 'vim', interactive: true }],
      ['send_keys', { ...first, text: ':q!', press_enter: true }],
      ['send_keys', { ...first, keys: ['Escape', 'C-c'], then_capture: false }],
      ['send_keys', { ...first, text: 'one line', paste: true, then_capture: false }],
      ['send_keys', { ...first, keys: ['Entr'] }],
      ['send_keys', { ...first, keys: ['Enter', 'plain text'] }],
      ['send_keys', { ...first, secret: 'token' }],
      ['send_keys', { ...first, secret: 'token', text: 'x' }],
      ['send_keys', first],
      ['capture_screen', first],
      ['capture_screen', { ...first, scrollback_lines: -1 }],
      ['resize_terminal', { ...first, columns: 100, rows: 30 }],
      ['resize_terminal', { ...first, columns: 1, rows: 30 }],
      exit(0),
      ['capture_screen', first],
      ['send_keys', { ...first, text: 'late' }],
      ['resize_terminal', { ...first, columns: 100, rows: 30 }],
      ['start_process', { command: 'serve' }],
      ['send_keys', { process_id: 'tool_2', text: 'x' }],
      ['send_keys', { process_id: 'tool_2', secret: 'token' }],
      ['capture_screen', { process_id: 'tool_2' }],
      ['resize_terminal', { process_id: 'tool_2', columns: 100, rows: 30 }],
      ['send_keys', { ...unknown, text: 'x' }],
      ['capture_screen', unknown],
      ['resize_terminal', { ...unknown, columns: 100, rows: 30 }],
    ],
    { terminal: true },
  ],
  wait_for: [
    [
      ['start_process', { command: 'serve' }],
      ['wait_for', { ...first, text: 'out', timeout_seconds: 3.2 }],
      print('listening on 80\n'),
      ['wait_for', { ...first, pattern: 'on \\d+' }],
      ['wait_for', { ...first, text: 'out', timeout_seconds: 0.5 }],
      ['wait_for', { ...first, text: 'out', from: 'start' }],
      ['wait_for', { ...first, quiet_seconds: 1.5 }],
      ['wait_for', { ...first, ready: true, timeout_seconds: 0.1 }],
      ['wait_for', { ...first, text: 'never', exit: true, mode: 'all', timeout_seconds: 1 }],
      ['wait_for', { ...first, http: 'http://example.com/' }],
      ['wait_for', { ...first, port: 0 }],
      ['wait_for', { ...first, pattern: '(' }],
      print('more\n'),
      exit(3),
      ['wait_for', { ...first, text: 'never' }],
      ['wait_for', first],
      ['wait_for', unknown],
    ],
  ],
  watches: [
    [
      ['start_process', { command: 'serve' }],
      ['watch_process', first],
      ['watch_process', { ...first, interval_seconds: 90 }],
      ['watch_process', { ...first, pattern: 'error' }],
      ['watch_process', { ...first, pattern: '(' }],
      ['watch_process', { ...first, interval_seconds: 0 }],
      ['unwatch_process', first],
      ['unwatch_process', first],
      ['schedule', { action: 'list' }],
      ['schedule', { action: 'cancel', schedule_id: 'schedule_none' }],
      ['schedule', { message: 'Look.', after_seconds: 90 }],
      ['schedule', { message: 'Look again.', every_seconds: 60, process_id: 'tool_1' }],
      ['schedule', { action: 'list' }],
      ['schedule', { action: 'cancel', schedule_id: 'schedule_none' }],
      ['schedule', { action: 'cancel', schedule_id: 'schedule_1' }],
      ['schedule', { action: 'cancel' }],
      ['schedule', { message: 'x' }],
      ['schedule', { after_seconds: 5 }],
      ['schedule', { message: 'x', after_seconds: 5, every_seconds: 5 }],
      ['schedule', { message: 'x', every_seconds: 0.5 }],
      exit(3),
      ['schedule', { action: 'list' }],
      ['schedule', { message: 'x', after_seconds: 5, process_id: 'tool_1' }],
      ['schedule', { message: 'x', after_seconds: 5, process_id: 'tool_none' }],
      ['watch_process', first],
      ['watch_process', unknown],
      ['unwatch_process', unknown],
    ],
  ],
  background_process: [
    [
      ['background_process', { action: 'list' }],
      ['background_process', { action: 'spawn', command: 'serve', label: 'web', workdir: '/tmp' }],
      ['background_process', { action: 'spawn', command: 'exit 3', wait: true }],
      ['background_process', { action: 'spawn', command: 'exit 0', wait: true, label: 'build' }],
      ['background_process', { action: 'spawn', command: 'flood', wait: true, timeout_seconds: 5 }],
      ['background_process', { action: 'spawn', command: 'cat', interactive: true, wait: true }],
      ['background_process', { action: 'status', handle: 'tool_1' }],
      ['background_process', { action: 'log', handle: 'tool_1', limit: 1 }],
      ['background_process', { action: 'log', handle: 'tool_1', offset: 1, limit: 1 }],
      ['background_process', { action: 'log', handle: 'tool_1' }],
      ['background_process', { action: 'write', handle: 'tool_1', input: 'x' }],
      ['background_process', { action: 'write', handle: 'tool_5', input: 'x' }],
      ['background_process', { action: 'write', handle: 'tool_5', input: 'x', press_enter: true }],
      ['background_process', { action: 'write', handle: 'tool_5', secret: 'token' }],
      ['background_process', { action: 'write', handle: 'tool_5', secret: 'token', input: 'x' }],
      ['background_process', { action: 'write', handle: 'tool_5' }],
      ['background_process', { action: 'capture', handle: 'tool_1' }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'Enter' }],
      ['background_process', { action: 'send_keys', handle: 'tool_1' }],
      ['background_process', { action: 'resize', handle: 'tool_1', columns: 90, rows: 20 }],
      ['background_process', { action: 'resize', handle: 'tool_1' }],
      ['background_process', { action: 'signal', handle: 'tool_1', signal: 'SIGHUP' }],
      ['background_process', { action: 'signal', handle: 'tool_1', signal: 'SIGKILL' }],
      ['background_process', { action: 'watch', handle: 'tool_1', interval_seconds: 2 }],
      ['background_process', { action: 'unwatch', handle: 'tool_1' }],
      ['background_process', { action: 'kill', handle: 'tool_1' }],
      ['background_process', { action: 'list' }],
      ['background_process', { action: 'kill', handle: 'tool_none' }],
      ['background_process', { action: 'kill' }],
      ['background_process', { action: 'dance' }],
    ],
  ],
  'background_process in a terminal': [
    [
      ['background_process', { action: 'spawn', command: 'vim', interactive: true }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'Escape C-c' }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'git log', press_enter: true }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'Entr up' }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'Up git' }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', input: 'a', keys: ' ', paste: true }],
      ({ backend }) => {
        backend.lastRun.screen = [JSON.stringify([backend.lastRun.strokes, backend.lastRun.pasted])];
      },
      ['background_process', { action: 'capture', handle: 'tool_1', scrollback_lines: 5 }],
      ['background_process', { action: 'resize', handle: 'tool_1', columns: 90, rows: 20 }],
      ['background_process', { action: 'send_keys', handle: 'tool_1', keys: 'x', then_capture: false }],
    ],
    { terminal: true },
  ],
  bg: [
    [
      ['bg_status'],
      ['bg_start', { command: 'serve', label: 'web' }],
      ['bg_start', { command: 'exit 3' }],
      ['bg_start', { command: 'crash' }],
      ['bg_start', { command: 'missing' }],
      ['bg_start', { command: 'slow', timeout: 1_000 }],
      pass(1_260),
      ['bg_status'],
      ['bg_status', { id: 'tool_1' }],
      ['bg_output', { id: 'tool_1', lines: 1 }],
      ['bg_output', { id: 'tool_1' }],
      ['bg_output', { id: 'tool_1', since_last_read: false }],
      ['bg_output', { id: 'tool_1', since_last_read: false, stream: 'stderr' }],
      ['bg_output', { id: 'tool_4', since_last_read: false, stream: 'stdout' }],
      ['bg_output', { id: 'tool_none' }],
      ['bg_kill', { id: 'tool_1', signal: 'SIGINT' }],
      ['bg_kill', { id: 'tool_1' }],
      ['bg_kill', { id: 'tool_none' }],
      ['bg_status', { id: 'tool_none' }],
      ['bg_start', { command: 'one' }],
      ['bg_start', { command: 'two' }],
      ['bg_start', { command: 'three' }],
    ],
    { limit: 2 },
  ],
  process_action: [
    [
      ['process', { action: 'list' }],
      ['process', { action: 'start', command: 'serve' }],
      ['process', { action: 'start', command: 'exit 3' }],
      ['process', { action: 'status', pid: 'tool_1' }],
      ['process', { action: 'status', pid: '1' }],
      ['process', { action: 'status', pid: '7' }],
      ['process', { action: 'output', pid: 'tool_1', tail: 1 }],
      ['process', { action: 'output', pid: '1' }],
      ['process', { action: 'list' }],
      ['process', { action: 'stop', pid: '1' }],
      ['process', { action: 'stop', pid: '1' }],
      ['process', { action: 'stop' }],
      ['process', { action: 'dance' }],
    ],
  ],
  exec: [
    [
      ['exec_command', { cmd: 'exit 0' }],
      ['exec_command', { cmd: 'exit 3', workdir: '/tmp' }],
      ['exec_command', { cmd: 'crash', shell: '/bin/zsh' }],
      ['exec_command', { cmd: 'missing' }],
      ['write_stdin', { session_id: 7 }],
      ['exec_command', { cmd: 'serve', yield_time_ms: 1_250 }],
      print('more\n'),
      ['write_stdin', { session_id: 7000001 }],
      ['write_stdin', { session_id: 7000001, yield_time_ms: 0 }],
      ['write_stdin', { session_id: 7000001, chars: 'x' }],
      ['write_stdin', { session_id: 7 }],
      leave,
      ['write_stdin', { session_id: 7000001 }],
      ['exec_command', { cmd: 'flood', yield_time_ms: 0, max_output_tokens: 20 }],
      ['exec_command', { cmd: 'serve', login: true, yield_time_ms: 10 }],
      ['exec_command', { cmd: '' }],
    ],
  ],
  'exec in a terminal': [
    [
      ['exec_command', { cmd: 'vim', tty: true, yield_time_ms: 100 }],
      ['write_stdin', { session_id: 7000001, chars: 'x\u0003' }],
      ['write_stdin', { session_id: 7000001, chars: 'y', yield_time_ms: 1_000 }],
    ],
    { terminal: true },
  ],
  bash_tools: [
    [
      ['Bash', { command: 'serve', run_in_background: true, description: 'Serves' }],
      ['BashOutput', { bash_id: 'tool_1' }],
      print('one\ntwo\n'),
      ['BashOutput', { bash_id: 'tool_1', filter: 'two' }],
      ['BashOutput', { bash_id: 'tool_1' }],
      ['BashOutput', { bash_id: 'tool_none' }],
      ['KillShell', { shell_id: 'tool_1' }],
      ['KillShell', { shell_id: 'tool_1' }],
      ['BashOutput', { bash_id: 'tool_1' }],
      ['KillShell', { shell_id: 'tool_none' }],
      ['Bash', { command: 'serve', timeout: 700_000 }],
    ],
  ],
};

test.for(Object.entries(transcripts))('%s answers as before', async ([name, [steps, options]]) => {
  const file = join(import.meta.dirname, 'golden', `answers-${name.replaceAll(' ', '-')}.txt`);

  await expect(await transcribe(steps, options)).toMatchFileSnapshot(file);
});
