import { isDeepStrictEqual } from 'node:util';
import { createActor, type InspectionEvent } from 'xstate';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { openConversation } from '../../src/conversation/create-conversation.ts';
import type { Mailbox } from '../../src/mailbox/mailbox.ts';
import type { MailboxEntry } from '../../src/mailbox/mailbox-entry.ts';
import { toNotificationEntry } from '../../src/mailbox/to-entry.ts';
import type { ScheduleNews } from '../../src/schedules/schedule.ts';
import { createMemoryJournal } from '../../src/store/journal.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import { describePath } from '../../src/testing/paths/generate-paths.ts';
import type { ScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { findTranscriptFaults } from '../conversation/transcript-faults.ts';
import { type ConversationScene, conversationDriver } from './conversation-driver.ts';
import { type ConversationOutline, createExpectedEffects } from './conversation-effects.ts';
import {
  type ConversationModelEvent,
  type ConversationState,
  type ConversationWay,
  conversationModel,
  outlineConversation,
  WAIT_MS,
} from './conversation-model.ts';
import { eventually, type Pace } from './eventually.ts';
import { createHeldCompaction } from './held-compaction.ts';
import { createHeldModel } from './held-model.ts';
import { createHeldTool } from './held-tool.ts';
import { child } from './process-model.ts';

/** Stage for conversations one after the other, with scripted processes. */
export interface ConversationStage {
  readonly supervisor: Supervisor;
  readonly backend: ScriptedBackend;
}

export interface ConversationWalk extends ConversationWay {
  readonly stage: ConversationStage;
  readonly inspect?: (event: InspectionEvent) => void;
  /** Another model, whose difference must be detected. */
  readonly model?: typeof conversationModel;
}

/** Event that the chart has handled, and the state that it led to. */
interface Heard {
  readonly event: ConversationModelEvent;
  readonly state: ConversationState;
}

type Opened = ConversationScene & { readonly heard: readonly Heard[]; outline(): ConversationOutline };

/** Walks a path on a real conversation. Returns `null` when it and the model agreed at each step; otherwise the difference. */
export async function walkConversation(walk: ConversationWalk): Promise<string | null> {
  const scene = openScene(walk);
  const { noted, noteReached, outline } = createExpectedEffects(walk.model ?? conversationModel);
  const model = createActor(noted, { input: walk.input }).start();

  const done: { event: ConversationModelEvent }[] = [];
  try {
    for (const { event } of walk.path) {
      const expected = [...preludeOf(event, scene), event];
      const goal = done.length + expected.length;
      done.push(...expected.map((each) => ({ event: each })));
      // Some events bring about the next one by themselves.
      if (scene.heard.length < goal) await conversationDriver[event.type](scene, event as never);
      await eventually(() => scene.heard.length >= goal, {
        what: `it hears ${event.type}`,
        on: paceOf(event),
      });
      for (const each of expected) {
        noteReached(each);
        model.send(each);
      }

      const heard = scene.heard.slice(goal - expected.length, goal);
      expectEqual(
        'events',
        heard.map(({ event: told }) => toFact(told)),
        expected.map(toFact),
      );
      expectSameState(heard.at(-1)?.state, model.getSnapshot());
      if (scene.heard.length === goal) await expectSameOutline(scene, outline(model.getSnapshot()));
      expectEqual('faults', findTranscriptFaults(scene.conversation.transcript, { open: true }), []);
    }
    expectEqual('events that follow', followersOf(scene, done.length), []);
    return null;
  } catch (error) {
    return `${describePath(done)}\n${String(error)}`;
  } finally {
    scene.kill.allow();
    await scene.conversation.close();
    await walk.stage.supervisor.kill(scene.run.request.id);
  }
}

/** Waits for the ports of leftovers, which are read before their end is reported. */
function paceOf({ type }: ConversationModelEvent): Pace {
  return type === 'processes.gone' ? 'real programs' : 'scripts';
}

/** Events beyond the path. An end that cannot be brought about is reported, and ends the walk. */
function followersOf({ heard }: Opened, length: number): readonly string[] {
  const types = heard.slice(length - 1).map(({ event }) => event.type);
  const isBreakAtTheEnd = types[0] === 'conversation.broke' && types[1] === 'conversation.closed';
  return types.slice(isBreakAtTheEnd ? 2 : 1);
}

/** Breaks an effect by an impossible order to the clock. */
function preludeOf(
  event: ConversationModelEvent,
  { isClosing }: ConversationScene,
): readonly ConversationModelEvent[] {
  return event.type === 'conversation.broke' && !isClosing()
    ? [{ type: 'conversation.finish', waitMs: WAIT_MS }]
    : [];
}

/** Event without the ids of its entries, which differ from run to run. */
function toFact(event: ConversationModelEvent): object {
  if (event.type === 'mailbox.arrived') return { type: event.type, kind: event.item.kind };
  if (event.type === 'mailbox.withdrawn') return { type: event.type, ids: event.ids.length };
  if (event.type === 'calls.settled') return { type: event.type, revealed: event.revealed.length };
  return event;
}

function expectSameState(actual: ConversationState | undefined, expected: ConversationState): void {
  expectEqual('status', actual?.status, expected.status);
  expectEqual('state', actual?.value, expected.value);
  expectEqual(
    'context',
    actual && outlineConversation(actual.context),
    outlineConversation(expected.context),
  );
}

async function expectSameOutline(scene: Opened, expected: Partial<ConversationOutline>): Promise<void> {
  const seen = () => {
    const all = scene.outline();
    return Object.fromEntries(Object.keys(expected).map((key) => [key, all[key as keyof typeof all]]));
  };
  const isSame = () => isDeepStrictEqual(seen(), { ...expected });
  await eventually(isSame, { what: 'it looks alike', on: 'scripts' }).catch(() => {});
  expectEqual('outline', seen(), expected);
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`);
}

function openScene({ input, stage, inspect }: ConversationWalk): Opened {
  const clock = createVirtualClock();
  const model = createHeldModel('held');
  const tool = createHeldTool('held');
  const compaction = createHeldCompaction();
  const kill = Promise.withResolvers<void>();
  const names = new Map<string, string>();
  let mailbox: Mailbox | undefined;
  const events: ConversationEvent[] = [];
  const heard: Heard[] = [];
  let isClockBroken = false;
  let isKillAsked = false;

  const { conversation, actor } = openConversation(
    {
      supervisor: {
        ...stage.supervisor,
        mailbox: (owner, reader) => {
          mailbox = stage.supervisor.mailbox(owner, reader);
          return mailbox;
        },
        kill: async (id, options) => {
          isKillAsked = true;
          await kill.promise;
          return stage.supervisor.kill(id, options);
        },
      },
      model,
      tools: [tool.tool],
      policy: { mode: 'dangerous' },
      compact: compaction.compact,
      clock: {
        ...clock,
        at: (atMs, callback) => {
          if (isClockBroken) throw new Error('The clock is broken.');
          return clock.at(atMs, callback);
        },
      },
      maxSteps: input.limits.maxSteps,
      retry: {
        maxRetries: input.limits.maxRetries,
        maxNoticeRetries: input.limits.maxNoticeRetries,
        minBackoff: input.limits.minBackoffMs,
      },
      attention: ({ status }) => (status === 'completed' ? 'ignore' : 'turn'),
      journal: createMemoryJournal(toJournal(input, names)),
      onEvent: (event) => events.push(event),
    },
    { maxCompactions: input.limits.maxCompactions },
  );
  watchChart(actor, { heard, inspect });
  const run = startOwn(stage, conversation.id);

  return {
    conversation,
    model,
    tool,
    compaction,
    clock,
    run,
    heard,
    breakClock: () => {
      isClockBroken = true;
    },
    kill: {
      get isAsked() {
        return isKillAsked;
      },
      allow: kill.resolve,
      fail: () => kill.reject(new Error('It cannot be killed.')),
    },
    reminders: {
      tell: (id) => mailbox?.add(toNotificationEntry(toReminder(id))),
      cancel: (id) => mailbox?.retract([id]),
    },
    isClosing: () => actor.getSnapshot().matches('closing'),
    nameOf: (id) => names.get(id) ?? id,
    rename: (id) => {
      const name = `${id}-${events.length}-${heard.length}`;
      names.set(id, name);
      return name;
    },
    hasHeard: (type) => heard.at(-1)?.event.type === type,
    outline: () => ({
      turnsStarted: events.filter(({ type }) => type === 'turn.started').length,
      turnsEnded: events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome.type] : [])),
      delivered: toDelivered(events),
      modelAsked: model.asked,
      isModelHeld: model.isHeld,
      isCompacting: compaction.isHeld,
      calls: events.filter(({ type }) => type === 'tool.called').length,
      areWaitsInterrupted: tool.isInterrupted,
      pausesMs: events.flatMap((event) => (event.type === 'model.failed' ? [event.inMs] : [])),
      alarms: clock.pending,
      isKillAsked,
    }),
  };
}

function toReminder(id: string): ScheduleNews {
  const schedule = {
    id,
    owner: 'a',
    message: id,
    everyMs: 1_000,
    nextAt: 0,
    processId: null,
    createdAt: 0,
    told: 1,
  };
  return { type: 'schedule.due', id, at: 0, owner: 'a', schedule, missed: 0 };
}

/** Journal that an earlier program wrote before it ended. */
function toJournal(
  { mailbox, isUnfinished }: ConversationWay['input'],
  names: Map<string, string>,
): string[] {
  const entries = mailbox.map(({ id, attention }): MailboxEntry => {
    names.set(id, id);
    return { kind: 'notice', id, attention, part: { type: 'told', source: 'a test', text: id } };
  });
  const said = { type: 'delivered', ids: ['said'], messages: [{ role: 'user', text: 'Begin.' }] };
  return [...(isUnfinished ? [said] : []), ...entries.map((entry) => ({ type: 'arrived', entry }))].map(
    (entry) => JSON.stringify(entry),
  );
}

/** Process with a child, which outlives it. */
function startOwn({ supervisor, backend }: ConversationStage, owner: string): ConversationScene['run'] {
  supervisor.start({ command: 'serve', owner, background: true, maxBackgroundTime: 0 });
  const run = backend.lastRun;
  run.children = [child];
  return run;
}

/** Records each event that led to a transition; others do not concern the chart. */
function watchChart(
  actor: ReturnType<typeof openConversation>['actor'],
  { heard, inspect }: { heard: Heard[]; inspect: ConversationWalk['inspect'] },
): void {
  let isTaken = false;
  actor.system.inspect({
    next: (inspected) => {
      inspect?.(inspected);
      if (inspected.actorRef !== actor) return;
      if (inspected.type === '@xstate.microstep') isTaken ||= inspected._transitions.length > 0;
      if (inspected.type !== '@xstate.snapshot' || !isTaken) return;
      isTaken = false;
      heard.push({
        event: inspected.event as ConversationModelEvent,
        state: inspected.snapshot as ConversationState,
      });
    },
  });
}

function toDelivered(events: readonly ConversationEvent[]): readonly (number | 'message')[] {
  return events.flatMap((event): (number | 'message')[] => {
    if (event.type !== 'message.recorded') return [];
    const { message } = event;
    if (message.role === 'notice') return [message.completionIds.length];
    return message.role === 'user' ? ['message'] : [];
  });
}
