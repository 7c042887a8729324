import { styleText } from 'node:util';
import { formatDuration } from '../../src/config/duration.ts';
import type {
  ConversationEvent,
  KillReceipt,
  ProcessHandle,
  ProcessStatus,
  ProcessView,
  Supervisor,
  ToolAnswer,
  ToolCall,
} from '../../src/index.ts';
import type { Stage } from './stage.ts';

/** Tells what happens in the conversation, as it happens. */
export function narrateConversation(
  event: ConversationEvent,
  { stage, home }: { stage: Stage; home: string },
): void {
  switch (event.type) {
    case 'turn.started':
      if (event.because === 'notice') stage.say('notice', 'The agent was idle. This wakes it:');
      return;
    case 'message.recorded':
      if (event.message.role === 'user') stage.say('you', event.message.text);
      if (event.message.role === 'notice')
        stage.say('notice', withoutTildes(event.message.text).replaceAll(home, '.troupe'));
      if (event.message.role === 'assistant' && event.message.text !== '')
        stage.say('agent', event.message.text);
      return;
    case 'tool.called':
      return stage.say('call', describeCall(event.call));
    case 'tool.answered':
      return stage.say('answer', describeAnswer(event.call, event.answer).replaceAll(home, '.troupe'));
  }
}

/** Tells of each change of each process, from its birth on. */
export function narrateProcesses(supervisor: Supervisor, stage: Stage): void {
  supervisor.events$.subscribe((event) => {
    if (event.type === 'process.created') narrateProcess(supervisor.get(event.process.id), stage);
  });
}

function narrateProcess(handle: ProcessHandle | undefined, stage: Stage): void {
  let before: ProcessStatus = 'pending';
  let isReady = false;
  handle?.view$.subscribe((view) => {
    const name = (view.label ?? view.id).padEnd(8);
    if (view.status !== before) {
      const change = `${styleText('dim', `${before} →`)} ${styleText(colours[view.status], view.status)}`;
      stage.say('state', `${name} ${change}${toDetail(view)}`);
    }
    if (!isReady && 'ready' in view && view.ready.state === 'ready') {
      isReady = true;
      stage.say(
        'state',
        `${name} ${styleText('green', 'ready')} after ${formatDuration(view.ready.afterMs)}`,
      );
    }
    before = view.status;
  });
}

const colours = {
  pending: 'dim',
  running: 'cyan',
  backgrounded: 'blue',
  stopping: 'yellow',
  restarting: 'yellow',
  completed: 'green',
  failed: 'red',
  killed: 'yellow',
  timed_out: 'red',
  lost: 'red',
} as const satisfies Record<ProcessStatus, Parameters<typeof styleText>[0]>;

function toDetail(view: ProcessView): string {
  switch (view.status) {
    case 'running':
      return `, pid ${view.pid}`;
    case 'backgrounded':
      return view.executionMode.includes('background')
        ? `, pid ${view.pid}`
        : ` after ${formatDuration(view.runtimeMs)}: no caller waits for it any more`;
    case 'completed':
    case 'failed':
      return ` with code ${view.exit?.code} after ${formatDuration(view.runtimeMs)}`;
    case 'killed':
      return view.receipt === null ? '' : toProof(view.receipt);
    default:
      return '';
  }
}

function toProof({ signalled, durationMs, leftoversEnded }: KillReceipt): string {
  const others = leftoversEnded.length;
  return ` by ${signalled} within ${formatDuration(durationMs)}${others === 0 ? '' : `, with ${others} other ${others === 1 ? 'member' : 'members'} of its tree`}`;
}

function describeCall({ name, argumentsText }: ToolCall): string {
  const { command, label, ...rest } = JSON.parse(argumentsText) as Record<string, unknown>;
  const more = Object.entries(rest).map(([key, value]) => `${key}=${value}`);
  return [name, ...more, ...(command === undefined ? [] : [`$ ${command}`])].join('  ');
}

function describeAnswer({ name, argumentsText }: ToolCall, answer: ToolAnswer): string {
  if (!answer.ok) return `${name} failed: ${answer.error}`;
  const { label } = JSON.parse(argumentsText) as { label?: string };
  const { output, message, screen } = answer.data as {
    output?: unknown;
    message?: string;
    screen?: unknown;
  };
  const said = [output, message, typeof screen === 'string' ? withoutTildes(screen) : undefined]
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => String(part).trim());
  return `${label ?? name}: ${said.join('\n')}`;
}

/** An editor fills an empty screen with them. */
function withoutTildes(screen: string): string {
  return screen
    .split('\n')
    .filter((line) => line !== '~' && line !== '')
    .join('\n');
}
