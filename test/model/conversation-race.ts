import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Conversation } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import type { ChatMessage, ToolCall } from '../../src/models/chat-model.ts';
import { ModelError } from '../../src/models/model-error.ts';
import type { Completion } from '../../src/supervisor/runtime-event.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolAnswer } from '../../src/tools/tool.ts';
import { processTools } from '../../src/tools/tool-sets.ts';
import { findRequestFaults, findTranscriptFaults } from '../conversation/transcript-faults.ts';
import { createVirtualHarness } from '../support/virtual.ts';
import { createMortalJournal, type Medium, type MortalJournal } from './mortal-journal.ts';
import { createPushedModel, type PushedModel } from './pushed-model.ts';

const OWNER = 'race';

/** Delay of a start, because a policy reads files before the first one and turns of the event loop cannot be counted. */
const MAX_REST_MS = 10_000;

/** Calls that the model may make; `at` chooses the process. */
export interface RaceCall {
  readonly tool: 'check' | 'list' | 'wait' | 'kill' | 'start' | 'lost' | 'slow';
  readonly at: number;
}

/** Actions that may happen in any order at any time. An impossible one does nothing. */
export type RaceStep =
  | { readonly type: 'say' | 'interrupt' | 'write' | 'start' | 'release' | 'close' }
  /** Repeats a notification. */
  | { readonly type: 'notify'; readonly id: number; readonly attention: 'turn' | 'context' }
  | { readonly type: 'end'; readonly at: number; readonly code: number }
  | { readonly type: 'reply'; readonly calls: readonly RaceCall[] }
  | { readonly type: 'fail'; readonly isRetryable: boolean }
  | { readonly type: 'shorten'; readonly keepMessages: number }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'turn'; readonly count: number }
  /** Lets the program die instead of writing a later entry, and starts it again. */
  | { readonly type: 'crash'; readonly entries: number; readonly share: number };

/** Delivery to the agent, or an event that it read of, in order. */
export type Told =
  | { readonly how: 'message'; readonly what: string }
  | { readonly how: 'notice' | 'answer'; readonly what: string };

/** Runs one conversation from beginning to end, over all its programs. */
export interface Race {
  step(step: RaceStep): Promise<void>;
  /** Lets everything finish. */
  settle(): Promise<void>;
  /** Entries taken into the mailbox, in order: texts of messages, and ids. */
  readonly arrived: readonly string[];
  readonly told: readonly Told[];
  /** Ids of all ends so far. */
  readonly ended: readonly string[];
  /** Faults found at any moment. */
  readonly faults: readonly string[];
  dispose(): Promise<void>;
}

interface Program {
  readonly conversation: Conversation;
  readonly model: PushedModel;
  readonly journal: MortalJournal;
  readonly clock: VirtualClock;
  /** Number of persons waiting for the end of a turn. */
  waiting: number;
}

export function openRace(medium: Medium): Race {
  const { supervisor, backend } = createVirtualHarness({
    maxBackgroundProcesses: 10_000,
    maxBackgroundTime: 0,
  });
  const past: Completion[] = [];
  supervisor.completions$.subscribe((completion) => void past.push(completion));
  const arrived: string[] = [];
  const told: Told[] = [];
  const faults: string[] = [];
  let slow: (() => void)[] = [];
  let said = 0;
  let isShortened = false;
  let isTurnRunning = false;
  /** Deliveries of a turn that a crash ended, until a turn begins again. */
  let abandoned: string[] = [];

  const slowTool = defineTool({
    name: 'slow',
    description: 'Waits for a test.',
    input: z.strictObject({}),
    execute: () =>
      new Promise<ToolAnswer>((resolve) => void slow.push(() => resolve({ ok: true, data: 'at last' }))),
  });
  const lostTool = defineTool({
    name: 'lost',
    description: 'Reads of an end, and cannot tell.',
    input: z.strictObject({ process_id: z.string() }),
    execute: async (input, context) => {
      const check = processTools.find(({ name }) => name === 'check_process')?.prepare(input);
      if (check?.ok === true) await check.run(context);
      throw new Error('The reply was lost.');
    },
  });

  let program = begin();

  function begin(): Program {
    const clock = createVirtualClock();
    const journal = createMortalJournal(medium, { onWritten: noteArrival });
    const model = createPushedModel({
      onAsked: (messages) => {
        if (!journal.isDead) faults.push(...findRequestFaults(messages));
      },
    });
    const conversation = createConversation({
      supervisor: {
        ...supervisor,
        // A program that has died takes nothing in.
        mailbox: (owner, reader = {}) =>
          supervisor.mailbox(owner, {
            ...reader,
            accepts: () => !journal.isDead && reader.accepts?.() !== false,
          }),
        start: (spec) => {
          if (journal.isDead) throw new Error('The program has died, so it starts nothing.');
          return supervisor.start(spec);
        },
      },
      id: OWNER,
      model,
      clock,
      journal,
      policy: { mode: 'dangerous' },
      tools: [...processTools, slowTool, lostTool],
      maxSteps: 6,
      onEvent: (event) => {
        if (!journal.isDead) noteEvent(event);
      },
    });
    return { conversation, model, journal, clock, waiting: 0 };
  }

  /** Current conversation; after a crash, the next one. */
  function alive(): Program {
    if (!program.journal.isDead) return program;
    slow = [];
    abandoned = isTurnRunning ? [told.at(-1)?.what ?? 'a turn'] : [];
    program = begin();
    return program;
  }

  function noteArrival(entry: unknown): void {
    const written = entry as { type: string; entry: { kind: string; id: string; text: string } };
    if (written.type !== 'arrived') return;
    arrived.push(written.entry.kind === 'message' ? written.entry.text : written.entry.id);
  }

  function noteEvent(event: ConversationEvent): void {
    if (event.type === 'transcript.shortened') isShortened = true;
    if (event.type === 'turn.ended') isTurnRunning = false;
    if (event.type === 'turn.started') abandoned = [];
    if (event.type === 'tool.answered')
      told.push(...(event.answer.reveals ?? []).map((what) => ({ how: 'answer', what }) as const));
    if (event.type !== 'message.recorded') return;
    const delivered = toTold(event.message);
    isTurnRunning = (isTurnRunning || delivered.length > 0) && !isFinalAnswer(event.message);
    told.push(...delivered);
  }

  const own = () => supervisor.list({ owner: OWNER }).toSorted((a, b) => a.createdAt - b.createdAt);
  const pick = (at: number) => own()[at % Math.max(1, own().length)]?.id ?? 'tool_none';
  const endRun = (at: number, code: number) => {
    const up = backend.runs.filter(({ isUp }) => isUp);
    up[at % Math.max(1, up.length)]?.exit({ code });
  };
  const say = () => {
    said += 1;
    const { conversation } = alive();
    const mine = program;
    mine.waiting += 1;
    void conversation.say(`message ${said}`).then(() => {
      mine.waiting -= 1;
    });
  };

  const perform = async (step: RaceStep): Promise<void> => {
    const { conversation, model, clock, journal } = alive();
    switch (step.type) {
      case 'say':
        return say();
      case 'notify': {
        const { id, attention } = step;
        return void conversation.notify({ id: `news ${id}`, source: 'a race', text: 'news', attention });
      }
      case 'interrupt':
        return void conversation.interrupt();
      case 'write':
        return model.write('well, ');
      case 'start':
        return void supervisor.start({
          command: `work ${backend.runs.length}`,
          owner: OWNER,
          background: true,
        });
      case 'end':
        return endRun(step.at, step.code);
      case 'reply':
        return model.end({ text: 'so be it', calls: step.calls.map((call) => toCall(call, pick)) });
      case 'fail': {
        const failure = step.isRetryable ? 'unavailable' : 'refused';
        return model.fail(new ModelError({ failure, message: 'No.' }));
      }
      case 'release':
        for (const open of slow.splice(0)) open();
        return;
      case 'shorten':
        return void conversation.shorten({ keepMessages: step.keepMessages });
      case 'advance':
        return clock.advance(step.ms);
      case 'turn':
        for (let count = 0; count < step.count; count += 1) await setImmediate();
        return;
      case 'close':
        return conversation.close();
      case 'crash':
        return journal.dieAfter(step.entries, step.share);
    }
  };

  const comeToRest = async () => {
    const giveUpAtMs = performance.now() + MAX_REST_MS;
    for (let quiet = 0; quiet < 3; ) {
      if (performance.now() > giveUpAtMs) throw new Error(`never at rest: ${program.conversation.status}`);
      const { conversation, model, clock } = alive();
      for (const open of slow.splice(0)) open();
      if (model.isAsked) model.end({ text: 'that is all', calls: [] });
      if (conversation.status !== 'idle') clock.advance(60_000);
      await setImmediate();
      quiet = conversation.status === 'idle' && conversation === program.conversation ? quiet + 1 : 0;
    }
  };

  const look = () => {
    if (program.journal.isDead) return;
    const { transcript } = program.conversation;
    faults.push(...findTranscriptFaults(transcript, { open: true }));
    const shown = transcript.flatMap(toTold).map(({ what }) => what);
    const delivered = told.filter(({ how }) => how !== 'answer').map(({ what }) => what);
    const expected = isShortened ? delivered.slice(delivered.length - shown.length) : delivered;
    if (shown.join() !== expected.join()) faults.push(`the transcript has ${shown}, not ${expected}`);
  };

  return {
    arrived,
    told,
    faults,
    get ended() {
      return past.map(({ id }) => id);
    },
    step: async (step) => {
      await perform(step);
      look();
    },
    settle: async () => {
      program.journal.dieAfter(Number.POSITIVE_INFINITY, 0);
      await comeToRest();
      faults.push(...abandoned.map((what) => `not gone on with: ${what}`));
      say();
      await comeToRest();
      for (const run of backend.runs) run.exit();
      await comeToRest();
      say();
      await comeToRest();
      if (program.waiting > 0) faults.push(`${program.waiting} wait for an answer for ever`);
      // A replay of the journal gives the same result.
      const before = program.conversation.transcript;
      program.journal.close();
      await comeToRest();
      const after = program.conversation.transcript;
      faults.push(...findTranscriptFaults(after));
      if (!isDeepStrictEqual(after.slice(0, -1), before)) faults.push('it remembers otherwise');
      look();
    },
    dispose: async () => {
      await program.conversation.close();
      await supervisor.shutdown();
      medium.remove();
    },
  };
}

/** Stands for a closed conversation, which cannot be resumed. */
function isFinalAnswer(message: ChatMessage): boolean {
  return message.role === 'assistant' && message.toolCalls.length === 0;
}

/** Events from outside that a message reports. */
function toTold(message: ChatMessage): readonly Told[] {
  if (message.role === 'user') return [{ how: 'message', what: message.text }];
  if (message.role !== 'notice') return [];
  return message.completionIds.map((what) => ({ how: 'notice', what }));
}

function toCall({ tool, at }: RaceCall, pick: (at: number) => string): Omit<ToolCall, 'id'> {
  const process_id = pick(at);
  const calls = {
    check: ['check_process', { process_id }],
    list: ['list_processes', { include_completed: true }],
    wait: ['wait_for', { process_id }],
    kill: ['kill_process', { process_id }],
    start: ['start_process', { command: `serve ${at}`, force: true }],
    lost: ['lost', { process_id }],
    slow: ['slow', {}],
  } as const satisfies Record<RaceCall['tool'], readonly [string, object]>;
  const [name, given] = calls[tool];
  return { name, argumentsText: JSON.stringify(given) };
}
