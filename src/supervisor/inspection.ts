import type { ActorRefLike, AnyActor, InspectionEvent } from 'xstate';
import type { Inspect } from '../config/supervisor-options.ts';

/** An actor as an inspector sees it. */
interface InspectedActor extends ActorRefLike, Pick<AnyActor, 'id' | 'logic' | 'system' | 'subscribe'> {
  readonly _parent: ActorRefLike;
}

/**
 * Presents all actors of a supervisor to an inspector as one system: processes under their ids, the runner of a process below it, and
 * actors of systems of their own, such as watches and conversations, as children of the supervisor. The actors themselves stay as they
 * are: XState remembers the id of each child for ever, in the cache of its parent's events, so all processes have the same.
 *
 * The first actor that is inspected is the supervisor's own. What is written to a process is hidden, since it may be a secret. An error
 * that the inspector throws is reported and has no other effect.
 */
export function createInspection(
  inspect: Inspect,
  reportError: (error: unknown) => void,
): (event: InspectionEvent) => void {
  const publish = typeof inspect === 'function' ? inspect : (event: InspectionEvent) => inspect.next?.(event);
  const inspected = new WeakMap<ActorRefLike, InspectedActor>();
  let root: AnyActor | null = null;

  const present = (ref: ActorRefLike): ActorRefLike => {
    const actor = ref as AnyActor;
    if (root === null || ref === root) {
      root = actor;
      return ref;
    }
    const known = inspected.get(ref);
    if (known !== undefined) return known;
    const parent = actor._parent === undefined ? root : present(actor._parent);
    const presented = toInspected(actor, { parent, root });
    inspected.set(ref, presented);
    return presented;
  };

  return (event) => {
    try {
      const actorRef = present(event.actorRef);
      const rootId = root?.sessionId ?? event.rootId;
      const shown = { ...event, actorRef, rootId } as InspectionEvent;
      if (shown.type === '@xstate.event' && shown.sourceRef !== undefined)
        shown.sourceRef = present(shown.sourceRef);
      if ('event' in shown) shown.event = hideInput(shown.event);
      publish(shown);
    } catch (error) {
      // Later: the first events come while the supervisor is created.
      queueMicrotask(() => reportError(error));
    }
  };
}

function toInspected(
  actor: AnyActor,
  { parent, root }: { readonly parent: ActorRefLike; readonly root: ActorRefLike },
): InspectedActor {
  const isOfRoot = actor._parent === undefined || actor._parent === root;
  return {
    id: isOfRoot ? toName(actor) : `${(parent as InspectedActor).id}/${actor.id}`,
    sessionId: actor.sessionId,
    _parent: parent,
    logic: actor.logic,
    system: actor.system,
    send: actor.send,
    getSnapshot: () => actor.getSnapshot(),
    subscribe: actor.subscribe.bind(actor),
  } as InspectedActor;
}

/** Returns the id of a process, which is in its input; other actors have one of their own. */
function toName({ id, options }: AnyActor): string {
  return id === 'process' ? String((options.input as { readonly id?: unknown } | undefined)?.id ?? id) : id;
}

type InspectedEvent = Extract<InspectionEvent, { event: unknown }>['event'];

/** Replaces what is written or typed by its size. */
function hideInput(event: InspectedEvent): InspectedEvent {
  if (event.type === 'process.write') return { ...event, data: `[${event['data']?.byteLength} bytes]` };
  if (event.type === 'terminal.sendKeys')
    return { ...event, strokes: `[${event['strokes']?.length} strokes]` };
  return event;
}
