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

/** What commands work on. */
export interface CommandScene {
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
  run(argument: string, scene: CommandScene): readonly string[] | Promise<readonly string[]>;
}

const OUTPUT_LINES = 200;

const commands: Readonly<Record<string, ChatCommand>> = {
  processes: { says: 'the processes of this chat', run: (_, scene) => showProcesses(scene) },
  process: {
    argument: '<id>',
    says: 'all about one of them, and what happened to it',
    run: withProcess((handle, { page }) =>
      renderProcessFacts({ view: handle.view(), timeline: handle.timeline() }, page),
    ),
  },
  output: { argument: '<id>', says: 'what it printed last', run: withProcess(showOutput) },
  kill: { argument: '<id>', says: 'ends it, with everything it started', run: withProcess(endProcess) },
  background: {
    says: 'does not wait any longer for what runs in the foreground',
    run: (_, scene) => promote(scene),
  },
  compact: {
    says: 'makes what the model is told shorter: old output first',
    run: (_, scene) => compact(scene),
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

/** Whether a line is meant for the chat itself: `/usr/bin is full` and what was pasted as several lines are not. */
export function isChatCommand(text: string): boolean {
  return /^\/[\w-]*(?: [^\n]*)?$/.test(text.trimEnd());
}

/** `/kill build` and the like. @returns the rows to show, also where there is no such command. */
export async function runChatCommand(line: string, scene: CommandScene): Promise<readonly string[]> {
  const [name = '', ...rest] = line.slice(1).trim().split(/\s+/);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(rest.join(' '), scene);
  const meant = nearest(name, Object.keys(commands));
  const hint = meant === null ? '/help lists the commands.' : `Did you mean /${meant}?`;
  return trouble(`There is no command ${quote(`/${name}`)}. ${hint}`, scene.page);
}

/** What a word that has begun may become: a command, or an id behind one. */
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
  run: (handle: ProcessHandle, scene: CommandScene) => readonly string[] | Promise<readonly string[]>,
): ChatCommand['run'] {
  return (word, scene) => {
    const found = findProcess(word, { views: scene.supervisor.list(), listing: '/processes' });
    if (!found.ok) return trouble(found.error, scene.page);
    const handle = scene.supervisor.get(found.view.id);
    return handle === undefined
      ? trouble(`Process ${found.view.id} is not kept any more.`, scene.page)
      : run(handle, scene);
  };
}

function showProcesses({ supervisor, page }: CommandScene): readonly string[] {
  const views = supervisor.list();
  if (views.length === 0) return remark('No processes so far.', page);
  const rows = views.map((view) => ({ view, answered: true }));
  return renderTable({ rows, columns: Object.values(processColumns) }, page).flat();
}

function showOutput(handle: ProcessHandle, { page }: CommandScene): readonly string[] {
  const view = handle.view();
  const text = toPrintable(handle.read({ tail: OUTPUT_LINES }, 'user').text).trimEnd();
  if (text === '')
    return remark(`${toProcessName(view)} has printed nothing${'endedAt' in view ? '' : ' so far'}.`, page);
  const lines = text.split('\n').flatMap((line) => wrap(line, page.width - QUOTE_WIDTH));
  return toQuoted(lines, page);
}

async function endProcess(handle: ProcessHandle, { page }: CommandScene): Promise<readonly string[]> {
  const { message } = await handle.kill({ by: 'user' });
  return toMarked({ voice: 'process', text: toPrintable(message) }, page);
}

function promote({ supervisor, page }: CommandScene): readonly string[] {
  const foreground = supervisor.list({ live: true }).filter(({ status }) => status === 'running');
  if (foreground.length === 0) return remark('Nothing runs in the foreground.', page);
  for (const { id } of foreground) supervisor.get(id)?.background('user');
  // The promotion itself tells of them.
  return [];
}

async function compact({ conversation, page }: CommandScene): Promise<readonly string[]> {
  // What was dropped is told as it happens.
  return (await conversation.compact()) ? [] : remark('There is nothing that could be dropped.', page);
}

function showHelp(page: Page): readonly string[] {
  const rows = Object.entries(commands).map(([name, { argument = '', says }]) => {
    const usage = `/${name} ${argument}`;
    return `  ${page.paint('cyan', pad(usage, 16))}${says}`;
  });
  const more = [
    'An id may be shortened as long as only one process has it, or be a label.',
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
