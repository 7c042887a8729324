import type { ActorRefLike, AnyActorRef } from 'xstate';
import { toEventLabel, toGuardLabel } from '../charts/labels.ts';
import type { TimelineCause } from '../process/timeline.ts';

/** Transition as a microstep reports it. */
interface TakenTransition {
  readonly guard?: unknown;
}

/** Returns a function that says which event an actor below `root` took last, and which guards chose. */
export function observeCauses(root: AnyActorRef): (actor: ActorRefLike) => TimelineCause | null {
  const causes = new WeakMap<
    ActorRefLike,
    { readonly event: string; readonly guards: string[]; isOver: boolean }
  >();
  root.system.inspect((event) => {
    const { actorRef } = event;
    if (event.type === '@xstate.microstep') {
      const known = causes.get(actorRef);
      const cause =
        known === undefined || known.isOver
          ? { event: toEventLabel(event.event.type), guards: [], isOver: false }
          : known;
      const transitions = event._transitions as readonly TakenTransition[];
      cause.guards.push(...transitions.flatMap(({ guard }) => toGuardLabel(guard) ?? []));
      causes.set(actorRef, cause);
    } else if (event.type === '@xstate.snapshot') {
      const known = causes.get(actorRef);
      if (known !== undefined) known.isOver = true;
    }
  });
  return (actor) => {
    const cause = causes.get(actor);
    return cause === undefined ? null : { event: cause.event, guards: [...cause.guards] };
  };
}
