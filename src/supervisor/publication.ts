import { Subject } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { Mailboxes } from '../mailbox/mailboxes.ts';
import { toCompletionId } from '../process/process-id.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type CompletionStream, createCompletionStream } from './completion-stream.ts';
import type { RuntimeEvent } from './runtime-event.ts';

/** Publishes what happens to processes: `events$`, `completions$`, the changes behind `processes$`, and the mailboxes of owners. */
export interface Publication extends ProcessService {
  readonly events: Subject<RuntimeEvent>;
  readonly completions: CompletionStream;
  /** Emits when a list of all processes shows something else. */
  readonly changes: Subject<void>;
}

type ProcessEventType = Extract<RuntimeEvent, { readonly process: unknown }>['type'];

export function createPublication({
  clock,
  mailboxes,
  watchesEnded,
}: {
  readonly clock: Clock;
  readonly mailboxes: Pick<Mailboxes, 'expectEnd' | 'addEnd' | 'addRunning' | 'withdraw'>;
  /** Resolves once the watches of an ended process have published their last matches; `null` if they already have. */
  readonly watchesEnded: (processId: string) => Promise<unknown> | null;
}): Publication {
  const events = new Subject<RuntimeEvent>();
  const completions = createCompletionStream();
  const changes = new Subject<void>();

  /** Publishes an event with a view, which is only created if there is a subscriber. */
  const publish = (type: ProcessEventType, process: SupervisedProcess, more: object = {}) => {
    if (events.observed)
      events.next({ type, at: clock.epochMs(), process: process.view(), ...more } as RuntimeEvent);
  };

  const publishEnd = async (process: SupervisedProcess) => {
    const searching = watchesEnded(process.id);
    const view = await process.ended;
    // Matches first, then the end.
    if (searching !== null) await searching;
    publish('process.ended', process);
    mailboxes.withdraw({ of: 'process', id: view.id });
    mailboxes.addEnd(view);
    const completion = { id: toCompletionId(view), at: clock.epochMs(), process: view };
    // The subscriber for an adopted process may not have connected yet.
    completions.tell(completion, { isKept: process.isRestored });
  };

  return {
    events,
    completions,
    changes,
    on: (event, process) => {
      switch (event.type) {
        case 'view.changed':
          return changes.next();
        case 'process.backgrounded':
          return publish(event.type, process, { by: event.by });
        case 'process.faulted':
        case 'process.broken':
          return publish('process.faulted', process, { error: event.error });
        case 'process.detached':
          return publish('process.released', process);
        case 'process.silent':
        case 'process.elapsed':
          mailboxes.addRunning(event.type, { view: process.view(), at: clock.epochMs() });
          return publish(event.type, process);
        case 'process.ended':
          return mailboxes.expectEnd(process.owner, publishEnd(process));
        // Signals are in the timeline and their effects are published; the other events concern services only.
        case 'process.signalled':
        case 'process.released':
        case 'process.promoted':
        case 'attempt.starting':
        case 'input.written':
        case 'record.changed':
          return;
        default:
          return publish(event.type, process);
      }
    },
  };
}
