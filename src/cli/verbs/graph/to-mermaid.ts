import {
  childrenOf,
  type Diagram,
  type DiagramState,
  type DiagramTransition,
  hasAnywhere,
  innerTransitionsOf,
  isFromAnywhere,
} from '../../../charts/diagram.ts';

/** Renders a diagram as Mermaid's `stateDiagram-v2`. The same diagram always gives the same text. */
export function toMermaid(diagram: Diagram): string {
  return [
    '---',
    `title: ${diagram.name}`,
    '---',
    'stateDiagram-v2',
    ...linesInside(diagram, '', INDENT),
    ...diagram.transitions.flatMap((transition) => toArrow(transition)),
    '',
  ].join('\n');
}

const INDENT = '  ';

function linesInside(diagram: Diagram, parent: string, indent: string): readonly string[] {
  const initial = diagram.states.find(({ id }) => id === parent)?.initial ?? null;
  return [
    ...(initial === null ? [] : [`${indent}[*] --> ${toName(initial)}`]),
    ...anywhereLines(diagram, parent, indent),
    ...childrenOf(diagram, parent).flatMap((state) => linesOf(diagram, state, indent)),
  ];
}

/** Writes the transitions of the whole machine, which has no box, into a stand-in for any state. */
function anywhereLines(diagram: Diagram, parent: string, indent: string): readonly string[] {
  const name = toAnywhereName(parent);
  const texts = parent === '' ? innerTransitionsOf(diagram, '').map(toTransitionText).map(toText) : [];
  if (!hasAnywhere(diagram, parent) && texts.length === 0) return [];
  return [
    `${indent}state "any ${parent === '' ? 'state' : `of ${parent}`}" as ${name}`,
    ...texts.map((text) => `${indent}${name} : ${text}`),
  ];
}

function linesOf(diagram: Diagram, state: DiagramState, indent: string): readonly string[] {
  const name = toName(state.id);
  const head = `${indent}state "${state.name}" as ${name}`;
  const texts = textsOf(diagram, state).map(toText);
  const inside = linesInside(diagram, state.id, indent + INDENT);
  const end = state.kind === 'final' ? [`${indent}${name} --> [*]`] : [];
  if (inside.length === 0) return [head, ...texts.map((text) => `${indent}${name} : ${text}`), ...end];
  const note = [
    `${indent}note right of ${name}`,
    ...texts.map((text) => indent + INDENT + text),
    `${indent}end note`,
  ];
  return [`${head} {`, ...inside, `${indent}}`, ...(texts.length === 0 ? [] : note)];
}

/** The lines written inside a state. */
function textsOf(diagram: Diagram, state: DiagramState): readonly string[] {
  return [
    ...(state.description === '' ? [] : [state.description]),
    ...state.invokes.map((actor) => `invoke ${actor}`),
    ...(state.entry.length === 0 ? [] : [`entry / ${state.entry.join(', ')}`]),
    ...(state.exit.length === 0 ? [] : [`exit / ${state.exit.join(', ')}`]),
    ...innerTransitionsOf(diagram, state.id).map(toTransitionText),
  ];
}

function toArrow(transition: DiagramTransition): readonly string[] {
  if (transition.target === null) return [];
  const text = toText(toTransitionText(transition));
  const source = isFromAnywhere(transition) ? toAnywhereName(transition.source) : toName(transition.source);
  const arrow = `${INDENT}${source} --> ${toName(transition.target)}`;
  return [text === '' ? arrow : `${arrow} : ${text}`];
}

/** Writes `event [guard] / action`, as UML does. */
function toTransitionText({ event, guard, actions }: DiagramTransition): string {
  return [
    ...(event === null ? [] : [event]),
    ...(guard === null ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
  ].join(' ');
}

/** Names the stand-in from which an arrow into the inside of a state begins: Mermaid cannot draw it from the state. */
function toAnywhereName(id: string): string {
  return id === '' ? 'any_state' : `any_of_${toName(id)}`;
}

/** Mermaid's names are words; a dot would end one. */
function toName(id: string): string {
  return id.replaceAll('.', '__').replaceAll(/\W/g, '_');
}

/** A semicolon ends a statement in Mermaid, and a hash begins a character code. */
function toText(text: string): string {
  return text.replaceAll('#', '').replaceAll(';', ',');
}
