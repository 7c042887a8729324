import type { Diagram, DiagramState, DiagramTransition } from '../../../src/charts/diagram.ts';

/** Describes a machine as Markdown: the meaning of each state, and the target of each event. All words are the machine's. */
export function toGuide(diagram: Diagram): string {
  const states = diagram.states.filter(({ id }) => id !== '');
  const events = [...new Set(diagram.transitions.map(({ event }) => event))];
  return [
    '| State | Meaning | On entry | On exit |',
    '|---|---|---|---|',
    ...states.map(toStateRow),
    '',
    ...events.flatMap((event) => [...toEventLines(diagram, event), '']),
  ].join('\n');
}

function toStateRow({ id, kind, description, entry, exit }: DiagramState): string {
  const meaning = kind === 'final' ? `*Final.* ${description}` : description;
  const cells = [toCode(id), meaning, entry.map(toCode).join(', '), exit.map(toCode).join(', ')];
  return `| ${cells.join(' | ')} |`;
}

function toEventLines(diagram: Diagram, event: string | null): readonly string[] {
  const transitions = diagram.transitions.filter((transition) => transition.event === event);
  return [
    `- **${event === null ? 'At once, without an event' : toCode(event)}**`,
    ...transitions.map((transition) => `  - ${toSentence(diagram, transition)}`),
  ];
}

function toSentence(diagram: Diagram, transition: DiagramTransition): string {
  const { source, target, guard, actions, description } = transition;
  const meaning = description || diagram.states.find(({ id }) => id === target)?.description;
  return [
    source === '' ? 'any state' : toCode(source),
    ...(guard === null ? [] : [guard === 'else' ? 'otherwise' : `when ${toCode(guard)}`]),
    ...(target === null ? ['stays'] : [`→ ${toCode(target)}`]),
    ...(actions.length === 0 ? [] : [`(${actions.map(toCode).join(', ')})`]),
    ...(target === null || meaning === undefined || meaning === '' ? [] : [`— ${meaning}`]),
  ].join(' ');
}

function toCode(text: string): string {
  return `\`${text}\``;
}
