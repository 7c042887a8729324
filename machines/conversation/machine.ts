import type { ConversationContext, TurnEnd } from './context.ts';
import { hasPendingMessage, nextDelivery } from './delivery.ts';
import type { ConversationEvent } from './events.ts';
import { toBackoffMs } from './model-retry.ts';
import { conversationSetup, createConversationContext } from './setup.ts';

const deliver = [
  {
    type: 'deliver' as const,
    params: ({ context }: { context: ConversationContext }) => ({ ids: nextDelivery(context) }),
  },
  'removeDelivered' as const,
];

const compact = {
  type: 'compact' as const,
  params: ({ event }: { event: ConversationEvent }) => ({
    because: event.type === 'context.exceeded' ? event.by : ('request' as const),
  }),
};

const endTurn = (end: TurnEnd) => ({ type: 'endTurn' as const, params: { end } });

/**
 * Loop of an agent: the model is called, its tool calls run, and events from outside enter at safe points only, never between a
 * call and its result.
 */
export const conversationMachine = conversationSetup.createMachine({
  id: 'conversation',
  description: 'An agent, its turns and its mailbox.',
  context: ({ input }) => createConversationContext(input),
  initial: 'open',
  states: {
    open: {
      description: 'The agent takes messages and can be woken.',
      type: 'parallel',
      on: {
        'conversation.close': 'closing',
        'conversation.broke': { target: 'closing', actions: 'recordBreak' },
        'conversation.finish': {
          actions: [
            'endWithProcesses',
            {
              type: 'armDeadline',
              params: ({ event }) => ({ deadline: 'background', afterMs: event.waitMs }),
            },
          ],
        },
        'deadline.background': { actions: 'endNow' },
      },
      states: {
        mailbox: {
          description: 'Events from outside wait here until they are delivered or withdrawn.',
          on: {
            'mailbox.arrived': { actions: 'addToMailbox' },
            'mailbox.withdrawn': { actions: 'withdraw' },
          },
        },
        loop: {
          initial: 'idle',
          states: {
            idle: {
              description: 'No turn runs.',
              initial: 'resting',
              states: {
                resting: {
                  description: 'No entry waits that is worth a turn.',
                  always: [
                    { guard: 'isEndingNow', target: '#conversation.closing' },
                    { guard: 'hasReasonToWake', target: 'gathering' },
                    {
                      guard: 'isEndingWithProcesses',
                      target: '#conversation.open.loop.waiting.forProcesses',
                    },
                  ],
                  on: { 'conversation.compact': 'compacting' },
                },
                compacting: {
                  description: 'The transcript is compacted for a person.',
                  entry: compact,
                  exit: 'stopCompacting',
                  always: { guard: 'isEndingNow', target: '#conversation.closing' },
                  on: { 'compaction.settled': 'resting' },
                },
                gathering: {
                  description: 'Entries of the same turn of the event loop are delivered together.',
                  entry: 'gather',
                  on: {
                    'mailbox.gathered': [
                      {
                        guard: 'hasReasonToWake',
                        target: '#conversation.open.loop.thinking',
                        actions: ['resetTurn', 'announceTurn', 'countStep', ...deliver],
                      },
                      { target: 'resting' },
                    ],
                  },
                },
              },
            },
            thinking: {
              description: 'The model is called.',
              entry: {
                type: 'callModel',
                params: ({ context }) => ({ mayCompact: context.compactions === 0 }),
              },
              exit: 'stopModel',
              on: {
                'model.replied': [
                  { guard: 'hasCalls', target: 'acting' },
                  {
                    guard: 'hasMoreMessages',
                    target: 'thinking',
                    reenter: true,
                    actions: ['countStep', ...deliver],
                  },
                  { target: 'idle', actions: endTurn('answered') },
                ],
                'model.failed': [
                  { guard: 'isWorthRetrying', target: 'waiting.toRetry', actions: 'countFailure' },
                  { target: 'idle', actions: endTurn('failed') },
                ],
                'context.exceeded': [
                  { guard: 'canCompact', target: 'waiting.compacting', actions: 'countCompaction' },
                  { target: 'idle', actions: endTurn('failed') },
                ],
                'turn.interrupt': { target: 'idle', actions: endTurn('interrupted') },
              },
            },
            acting: {
              description: 'The tool calls of one reply run.',
              initial: 'working',
              entry: {
                type: 'runCalls',
                params: ({ context }) => ({ mayWait: !hasPendingMessage(context) }),
              },
              states: {
                working: {
                  description: 'Calls run in parallel; their results keep the order of the calls.',
                  on: {
                    'mailbox.arrived': { guard: 'isMessage', actions: 'interruptWaits' },
                    'turn.interrupt': { target: 'stopping', actions: 'interruptCalls' },
                    'calls.settled': [
                      {
                        guard: 'hasStepLeft',
                        target: '#conversation.open.loop.thinking',
                        actions: ['withdraw', 'countStep', ...deliver],
                      },
                      {
                        target: '#conversation.open.loop.idle',
                        actions: ['withdraw', endTurn('stepLimit')],
                      },
                    ],
                  },
                },
                stopping: {
                  description: 'The turn was interrupted; each call still gets a result.',
                  on: {
                    'calls.settled': {
                      target: '#conversation.open.loop.idle',
                      actions: ['withdraw', endTurn('interrupted')],
                    },
                  },
                },
              },
            },
            waiting: {
              description: 'The loop waits.',
              initial: 'toRetry',
              states: {
                toRetry: {
                  description:
                    'The failed model call is repeated after a pause, which the first message of a person ends.',
                  always: {
                    guard: 'isEndingUnattended',
                    target: '#conversation.open.loop.idle',
                    actions: endTurn('failed'),
                  },
                  entry: [
                    {
                      type: 'announceRetry',
                      params: ({ context }) => ({
                        attempt: context.failures,
                        afterMs: toBackoffMs(context),
                      }),
                    },
                    {
                      type: 'armDeadline',
                      params: ({ context }) => ({ deadline: 'retry', afterMs: toBackoffMs(context) }),
                    },
                  ],
                  exit: { type: 'disarmDeadline', params: { deadline: 'retry' } },
                  on: {
                    'deadline.retry': { target: '#conversation.open.loop.thinking', actions: [...deliver] },
                    'mailbox.arrived': {
                      guard: 'isFirstMessage',
                      target: '#conversation.open.loop.thinking',
                      actions: [...deliver],
                    },
                    'turn.interrupt': {
                      target: '#conversation.open.loop.idle',
                      actions: endTurn('interrupted'),
                    },
                  },
                },
                compacting: {
                  description: 'The transcript is too long for the model and is compacted.',
                  entry: compact,
                  exit: 'stopCompacting',
                  on: {
                    'compaction.settled': [
                      { guard: 'isWorthAsking', target: '#conversation.open.loop.thinking' },
                      { target: '#conversation.open.loop.idle', actions: endTurn('failed') },
                    ],
                    'turn.interrupt': {
                      target: '#conversation.open.loop.idle',
                      actions: endTurn('interrupted'),
                    },
                  },
                },
                forProcesses: {
                  description:
                    'The work is done; background processes still run, and the agent is notified when they end.',
                  entry: 'watchProcesses',
                  always: [
                    { guard: 'isEndingNow', target: '#conversation.closing' },
                    { guard: 'hasReasonToWake', target: '#conversation.open.loop.idle.gathering' },
                  ],
                  on: { 'processes.gone': '#conversation.closing' },
                },
              },
            },
          },
        },
      },
    },
    closing: {
      description: 'The rest of the turn is ended, and the processes according to their lifetime.',
      entry: [{ type: 'disarmDeadline', params: { deadline: 'background' } }, 'shutDown'],
      on: {
        'conversation.broke': { actions: 'recordBreak' },
        'conversation.closed': [{ guard: 'isBroken', target: 'failed' }, { target: 'done' }],
      },
    },
    done: {
      description: 'The conversation is closed.',
      type: 'final',
    },
    failed: {
      description: 'An effect or troupe itself broke; the journal stays.',
      type: 'final',
    },
  },
});
