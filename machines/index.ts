export type {
  ConversationContext,
  ConversationInput,
  ConversationLimits,
  MailboxItem,
  TurnEnd,
} from './conversation/context.ts';
export { conversationMachine } from './conversation/machine.ts';
export * from './process/context.ts';
export * from './process/events.ts';
export { processMachine } from './process/machine.ts';
export type { DeadlineOrder, RunnerInput } from './process/setup.ts';
export * from './process/view.ts';
export * from './supervisor/context.ts';
export * from './supervisor/events.ts';
export { supervisorMachine } from './supervisor/machine.ts';
export type { WatchContext, WatchInput, WatchWants } from './watch/context.ts';
export { watchMachine } from './watch/machine.ts';
