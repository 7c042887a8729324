import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/quote.ts';
import type { Conversation } from '../../../conversation/conversation.ts';
import type { ProcessHandle } from '../../../process/process-handle.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import { findProcess } from '../../find-process.ts';
import { QUOTE_WIDTH, toMarked, toQuoted } from '../../render/margin.ts';
import type { Page } from '../../render/page.ts';
import { toPrintable } from '../../render/printable.ts';
import { renderProcessFacts } from '../../render/process-facts.ts';
import { processColumns } from '../../render/process-table.ts';
import { toProcessName } from '../../render/process-text.ts';
import { renderTable } from '../../render/table.ts';
import { pad, wrap } from '../../render/wrap.ts';

/** Dependencies of commands. */
export interface CommandDeps {
  readonly supervisor: Supervisor;
  readonly conversation: Pick<Conversation, 'compact'>;
  readonly page: Page;
  /** Ends the chat. */
  quit(): void;
}

interface ChatCommand {
  readonly argument?: string;
  readonly says: string;
  /** @returns the rows to show. */
  run(argument: string, deps: CommandDeps): readonly string[] | Promise<readonly string[]>;
}

const OUTPUT_LINES = 200;

const commands: Readonly<Record<string, ChatCommand>> = {
  processes: { says: 'the processes of this chat', run: (_, deps) => showProcesses(deps) },
  process: {
    argument: '<id>',
    says: 'everything about one, and its history',
    run: withProcess((handle, { page }) =>
      renderProcessFacts({ view: handle.view(), timeline: handle.timeline() }, page),
    ),
  },
  output: { argument: '<id>', says: 'its last output', run: withProcess(showOutput) },
  kill: { argument: '<id>', says: 'ends it, and everything it started', run: withProcess(endProcess) },
  background: {
    says: 'moves what runs in the foreground to the background',
    run: (_, deps) => promote(deps),
  },
  compact: {
    says: 'shortens the transcript for the model: old output first',
    run: (_, deps) => compact(deps),
  },
  help: { says: 'this list', run: (_, { page }) => showHelp(page) },
  quit: {
    says: 'ends the chat and its processes; so does Ctrl-D',
    run: (_, { quit }) => {
      quit();
      return [];
    },
  },
};

/** Tells whether a text is a command of the chat: `/usr/bin is full` and pasted lines are not. */
export function isChatCommand(text: string): boolean {
  return /^\/[\w-]*(?: [^\n]*)?$/.test(text.trimEnd());
}

/** Runs a command such as `/kill build`. @returns the rows to show, also for an unknown command. */
export async function runChatCommand(line: string, deps: CommandDeps): Promise<readonly string[]> {
  const [name = '', ...rest] = line.slice(1).trim().split(/\s+/);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(rest.join(' '), deps);
  const meant = nearest(name, Object.keys(commands));
  const hint = meant === null ? '/help lists the commands.' : `Did you mean /${meant}?`;
  return trouble(`There is no command ${quote(`/${name}`)}. ${hint}`, deps.page);
}

/** Completes typed text: a command, or the id after one. */
export function completeCommand(typed: string, supervisor: Supervisor): readonly string[] {
  const [, head, begun] = /^(\/(?:process|output|kill) +)(\S*)$/.exec(typed) ?? [];
  if (head !== undefined && begun !== undefined) {
    const names = supervisor.list().flatMap(({ id, label }) => (label === null ? [id] : [id, label]));
    return names.filter((name) => name.startsWith(begun)).map((name) => head + name);
  }
  if (!typed.startsWith('/')) return [];
  return Object.keys(commands)
    .map((name) => `/${name}`)
    .filter((name) => name.startsWith(typed));
}

function withProcess(
  run: (handle: ProcessHandle, deps: CommandDeps) => readonly string[] | Promise<readonly string[]>,
): ChatCommand['run'] {
  return (word, deps) => {
    const found = findProcess(word, { views: deps.supervisor.list(), listing: '/processes' });
    if (!found.ok) return trouble(found.error, deps.page);
    const handle = deps.supervisor.get(found.view.id);
    return handle === undefined
      ? trouble(`Process ${found.view.id} is not kept any more.`, deps.page)
      : run(handle, deps);
  };
}

function showProcesses({ supervisor, page }: CommandDeps): readonly string[] {
  const views = supervisor.list();
  if (views.length === 0) return remark('No processes so far.', page);
  const rows = views.map((view) => ({ view, answered: true }));
  return renderTable({ rows, columns: Object.values(processColumns) }, page).flat();
}

function showOutput(handle: ProcessHandle, { page }: CommandDeps): readonly string[] {
  const view = handle.view();
  const text = toPrintable(handle.read({ tail: OUTPUT_LINES }, 'user').text).trimEnd();
  if (text === '')
    return remark(`${toProcessName(view)} has printed nothing${'endedAt' in view ? '' : ' so far'}.`, page);
  const lines = text.split('\n').flatMap((line) => wrap(line, page.width - QUOTE_WIDTH));
  return toQuoted(lines, page);
}

async function endProcess(handle: ProcessHandle, { page }: CommandDeps): Promise<readonly string[]> {
  const { message } = await handle.kill({ by: 'user' });
  return toMarked({ voice: 'process', text: toPrintable(message) }, page);
}

function promote({ supervisor, page }: CommandDeps): readonly string[] {
  const foreground = supervisor.list({ live: true }).filter(({ status }) => status === 'running');
  if (foreground.length === 0) return remark('Nothing runs in the foreground.', page);
  for (const { id } of foreground) supervisor.get(id)?.background('user');
  // Each promotion is shown by its event.
  return [];
}

async function compact({ conversation, page }: CommandDeps): Promise<readonly string[]> {
  // The compaction is shown by its event.
  return (await conversation.compact()) ? [] : remark('Nothing can be dropped.', page);
}

function showHelp(page: Page): readonly string[] {
  const rows = Object.entries(commands).map(([name, { argument = '', says }]) => {
    const usage = `/${name} ${argument}`;
    return `  ${page.paint('cyan', pad(usage, 16))}${says}`;
  });
  const more = [
    'Instead of an id, give a label or the beginning of either.',
    'Ctrl-C interrupts the agent; a second one, or one while it does nothing, ends the chat.',
  ];
  return [...rows, ...more.flatMap((text) => remark(text, page))];
}

function trouble(text: string, page: Page): readonly string[] {
  return toMarked({ voice: 'trouble', text, style: 'red' }, page);
}

function remark(text: string, page: Page): readonly string[] {
  return toMarked({ voice: 'remark', text, style: 'dim' }, page);
}
