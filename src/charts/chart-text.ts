import type { Diagram, DiagramState, DiagramTransition } from './diagram.ts';
import { type Font, measureText, wrapText } from './measure-text.ts';

/** Part of a line in one colour. */
export interface TextSpan {
  readonly role: 'name' | 'description' | 'event' | 'guard' | 'action' | 'target';
  readonly text: string;
}

/** Line of a box or of an arrow's label. Width and height in px. */
export interface TextLine {
  readonly spans: readonly TextSpan[];
  readonly width: number;
  readonly height: number;
  /** Space between the line and the one before it. */
  readonly spaceAbove: number;
  /** Id of the transition that the line belongs to; `null` for lines of the state. */
  readonly transition: string | null;
}

/** Font of each part, in px. The smallest text is 11 px. */
export const fonts: Readonly<Record<TextSpan['role'], Font>> = {
  name: { size: 13, isBold: true },
  description: { size: 12 },
  event: { size: 11.5 },
  guard: { size: 11.5 },
  action: { size: 11 },
  target: { size: 11.5 },
};

/** Height of a line for each px of its font size. */
const LINE = 1.28;

/** Tells whether a transition is drawn as an arrow: it leads to another state, which the diagram shows. */
export function isArrow({ states }: Diagram, { source, target }: DiagramTransition): boolean {
  return target !== null && target !== source && states.some(({ id }) => id === target);
}

/** Returns the text of a state's box: name, description, actors, actions, and the transitions that are no arrows. */
export function toStateLines(diagram: Diagram, state: DiagramState, maxWidth: number): readonly TextLine[] {
  const listed = diagram.transitions.filter(
    (transition) => transition.source === state.id && !isArrow(diagram, transition),
  );
  const ofState = (role: TextSpan['role'], text: string) => toLines(role, text, maxWidth, null);
  return [
    ...ofState('name', state.parent === null ? diagram.name : state.name),
    ...ofState('description', state.description),
    ...state.invokes.flatMap((actor) => ofState('action', `invoke ${actor}`)),
    ...(state.entry.length === 0 ? [] : ofState('action', `entry / ${state.entry.join(', ')}`)),
    ...(state.exit.length === 0 ? [] : ofState('action', `exit / ${state.exit.join(', ')}`)),
    ...listed.flatMap((transition) => toTransitionLines(diagram, transition, maxWidth)),
  ];
}

/**
 * Returns the lines of one transition, as UML writes it: `event [guard] / action`. In a box they begin with `on`, and end with the target
 * that is in another picture.
 */
export function toTransitionLines(
  diagram: Diagram,
  transition: DiagramTransition,
  maxWidth: number,
): readonly TextLine[] {
  const { id, event, guard, actions, source, target } = transition;
  const isInBox = !isArrow(diagram, transition);
  const words: readonly TextSpan[] = [
    ...(event === null ? [] : [{ role: 'event', text: isInBox ? `on ${event}` : event } as const]),
    ...(guard === null ? [] : [{ role: 'guard', text: `[${guard}]` } as const]),
    ...(actions.length === 0 ? [] : [{ role: 'action', text: `/ ${actions.join(', ')}` } as const]),
    ...(isInBox && target !== null
      ? [{ role: 'target', text: target === source ? '↻' : `⇒ ${target}` } as const]
      : []),
  ];
  const lines: TextLine[] = [];
  for (const span of words) {
    const last = lines.at(-1);
    const joined =
      last === undefined ? null : toLine([...last.spans, { ...span, text: ` ${span.text}` }], id);
    if (joined !== null && joined.width <= maxWidth) lines[lines.length - 1] = joined;
    else lines.push(...toLines(span.role, span.text, maxWidth, id));
  }
  return lines.map((line, index) => (index === 0 ? { ...line, spaceAbove: 4 } : line));
}

function toLines(
  role: TextSpan['role'],
  text: string,
  maxWidth: number,
  transition: string | null,
): readonly TextLine[] {
  return wrapText(text, maxWidth, fonts[role]).map((line) => toLine([{ role, text: line }], transition));
}

function toLine(spans: readonly TextSpan[], transition: string | null): TextLine {
  const sizes = spans.map(({ role }) => fonts[role].size);
  return {
    spans,
    transition,
    width: spans.reduce((sum, { role, text }) => sum + measureText(text, fonts[role]), 0),
    height: Math.max(...sizes) * LINE,
    spaceAbove: 0,
  };
}

/** Returns the width and height of lines below each other, in px. */
export function sizeOf(lines: readonly TextLine[]): { readonly width: number; readonly height: number } {
  return {
    width: lines.reduce((widest, { width }) => Math.max(widest, width), 0),
    height: lines.reduce((sum, { height, spaceAbove }) => sum + height + spaceAbove, 0),
  };
}
