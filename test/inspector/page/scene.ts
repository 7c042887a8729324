import { unknownEnd } from '../../../machines/process/context.ts';
import type { LiveState } from '../../../src/live/live-state.ts';
import type { ProcessView } from '../../../src/process/process-view.ts';
import { endedView, runningView } from '../../support/views.ts';

const member = (pid: number, command: string) => ({ pid, pgid: 100, startedAt: '1', command });
const output = { bytes: 0, lines: 0, droppedBytes: 0, lastOutputAt: null, logFile: null, degraded: null };

/** A server in a terminal that waits for input. */
export const web: ProcessView = runningView({
  id: 'tool_web',
  label: 'web',
  ...{ owner: 'assistant', createdAt: 1_000, startedAt: 1_200, backgroundedAt: 3_000, callId: 'call_1' },
  ...{
    commandLine: 'npm run dev',
    cwd: '/project',
    tool: 'start_process',
    mode: 'tmux',
    restarts: 2,
    attempt: 3,
  },
  executionMode: 'the call asked for the background',
  endsAt: 65_000,
  ready: { state: 'ready', afterMs: 800 },
  terminal: {
    type: 'terminal',
    ...{ columns: 100, rows: 30, attach: ['tmux', 'attach'], because: 'the call asked for one' },
  },
  awaitsInput: { kind: 'secret', certainty: 'hint', prompt: 'Password:', since: 8_000 },
  takesInput: true,
  output: { ...output, bytes: 2_048, lines: 1, droppedBytes: 1_024, logFile: '/state/web.log' },
  metadata: { ticket: 'T-1', retries: 2 },
});

/** A command on pipes in the foreground, whose readiness is awaited. */
export const build: ProcessView = {
  ...runningView({
    id: 'tool_build',
    ...{ owner: 'assistant', createdAt: 2_000, startedAt: 2_000, commandLine: 'make all' },
    ...{ takesInput: true, ready: { state: 'waiting' } },
    output: { ...output, bytes: 10, lines: 2, degraded: 'The log file is full.' },
  }),
  status: 'running',
};

/** A command whose kill had to escalate, and that left something behind. */
export const failed: ProcessView = endedView({
  id: 'tool_test',
  label: 'test',
  ...{
    owner: 'shell',
    createdAt: 3_000,
    startedAt: 3_100,
    endedAt: 6_000,
    commandLine: 'npm test',
    status: 'failed',
  },
  ...unknownEnd,
  exit: { code: null, signal: 'SIGKILL' },
  reason: { type: 'killed', by: 'user', signal: 'SIGKILL', escalated: true },
  leftovers: [member(101, 'sleep 60'), member(102, 'cat')],
  suspects: [member(103, 'daemon')],
  receipt: {
    signalled: 'SIGTERM',
    escalated: true,
    survivors: [member(101, 'sleep 60')],
    leftoversEnded: [],
    durationMs: 5_000,
  },
  cpuMs: 1_500,
  held: 'cgroup',
  terminal: { type: 'none', because: 'no terminal was available' },
  output: { ...output, bytes: 5, lines: null },
});

/** An agent with its transcript and inbox, its processes, an ended command of a shell, and a machine of the program. */
export const scene: Partial<LiveState> = {
  processes: [web, build, failed],
  supervisors: { tool_web: 'sup_one', tool_build: 'sup_one', tool_test: 'sup_two' },
  timelines: {
    tool_web: [
      { type: 'process.created', at: 1_000, by: 'agent' },
      { type: 'process.started', at: 1_200, cause: { event: 'process.spawned', guards: ['isFirst'] } },
      { type: 'process.ready', at: 2_000, detail: 'port 3000' },
      {
        type: 'process.backgrounded',
        at: 3_000,
        by: 'supervisor',
        cause: { event: 'process.background', guards: [] },
      },
    ],
    tool_build: [
      { type: 'process.created', at: 2_000 },
      { type: 'process.started', at: 2_000 },
    ],
    tool_test: [
      { type: 'process.created', at: 3_000 },
      { type: 'process.started', at: 3_100 },
      { type: 'process.stopping', at: 4_000 },
      { type: 'process.ended', at: 6_000 },
    ],
  },
  conversations: {
    assistant: {
      id: 'assistant',
      status: 'thinking',
      writing: 'I look',
      transcript: [
        { role: 'system', text: 'You build.' },
        { role: 'user', at: 800, text: 'Start the server.' },
        {
          role: 'assistant',
          at: 900,
          text: 'Yes.',
          toolCalls: [{ id: 'call_1', name: 'start_process', argumentsText: '{"command":"npm run dev"}' }],
        },
        {
          role: 'tool',
          at: 3_000,
          callId: 'call_1',
          name: 'start_process',
          text: '{"ok":true,"data":{"message":"It runs.","output":"ready"}}',
        },
        {
          role: 'tool',
          at: 3_100,
          callId: 'call_2',
          name: 'read',
          text: '{"ok":false,"error":"No such file."}',
        },
        { role: 'tool', at: 3_200, callId: 'call_3', name: 'read', text: 'x'.repeat(601) },
        { role: 'notice', at: 6_100, completionIds: ['tool_test/1/ended'], text: 'tool_test failed' },
        { role: 'notice', at: 6_200, completionIds: ['forgotten/1/ended'], text: 'another failed' },
      ],
      inbox: [
        { kind: 'message', id: 'm1', attention: 'turn', text: 'Hurry.' },
        {
          kind: 'notice',
          id: 'n1',
          attention: 'context',
          part: { type: 'told', source: 'ci', text: 'is red' },
        },
        {
          kind: 'notice',
          id: 'n2',
          attention: 'turn',
          part: {
            type: 'due',
            ...{ scheduleId: 's', message: 'Look again.', everyMs: null, processId: null, missed: 0 },
          },
        },
        {
          kind: 'notice',
          id: 'n3',
          attention: 'context',
          part: {
            type: 'silent',
            ...{ id: 'tool_build', label: null, runtimeMs: 1, outputBytes: 1, command: 'make all' },
          },
        },
      ],
    },
  },
  questions: [
    {
      id: 'q1',
      at: 9_000,
      question: {
        ...{ tool: 'exec', permission: 'execute', arguments: { command: 'git push' }, callId: null },
        ...{ agent: 'assistant', question: 'May it run git push?', reason: 'Not covered.' },
        always: ['git push *'],
      } as unknown as NonNullable<LiveState['questions'][number]>['question'],
    },
  ],
  machines: {
    m1: {
      id: 'm1',
      name: 'door',
      status: 'active',
      chart: {
        name: 'door',
        description: 'A door.',
        states: [
          state('', null, 'door', 'closed'),
          state('closed', '', 'closed', null),
          state('open', '', 'open', null),
        ],
        transitions: [
          {
            ...{ id: 't1', source: 'closed', target: 'open', event: 'push', eventType: 'push' },
            ...{ guard: 'isUnlocked', actions: [], description: '' },
          },
        ],
      },
      path: [
        { at: 500, event: 'init', guards: [], transitions: [], states: ['closed'] },
        { at: 700, event: 'push', guards: ['isUnlocked'], transitions: ['closed -> open'], states: ['open'] },
      ],
    },
  },
};

function state(id: string, parent: string | null, name: string, initial: string | null) {
  return {
    ...{ id, parent, name, initial, description: '', entry: [], exit: [], invokes: [] },
    kind: initial === null ? ('atomic' as const) : ('compound' as const),
  };
}
