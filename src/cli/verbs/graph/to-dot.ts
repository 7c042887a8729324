import {
  childrenOf,
  type Diagram,
  type DiagramState,
  type DiagramTransition,
  hasAnywhere,
  innerTransitionsOf,
  isFromAnywhere,
} from '../../../charts/diagram.ts';
import { colours, toArrowMarkup, toStateMarkup } from './html-labels.ts';

/**
 * Graphviz has the widths of this family built in, so the picture is the same everywhere. A list of families would be measured as
 * Times.
 */
const FONT = 'Arial';

/** Renders a diagram as Graphviz DOT, compound states as clusters. The same diagram always gives the same text. */
export function toDot(diagram: Diagram): string {
  const root = diagram.states.find(({ id }) => id === '');
  return [
    `digraph ${quote(diagram.name)} {`,
    `  graph [compound=true, rankdir=TB, nodesep=0.35, ranksep=0.45, pad=0.3, bgcolor=${quote(colours.paper)}, fontname=${quote(FONT)}, fontsize=13, fontcolor=${quote(colours.ink)}];`,
    `  node [shape=box, style="rounded,filled", margin="0.11,0.06", fontname=${quote(FONT)}, fontsize=12, fontcolor=${quote(colours.ink)}, color=${quote(colours.line)}, fillcolor=${quote(colours.paper)}];`,
    `  edge [fontname=${quote(FONT)}, fontsize=10.5, fontcolor=${quote(colours.step)}, color=${quote(colours.line)}, arrowsize=0.7];`,
    `  labelloc=t; labeljust=l; label=<${toTitle(diagram, root)}>;`,
    ...linesInside(diagram, '', '  '),
    ...group(diagram.transitions).map((transitions) => toArrow(diagram, transitions)),
    '}',
    '',
  ].join('\n');
}

function toTitle(diagram: Diagram, root: DiagramState | undefined): string {
  const inner = innerTransitionsOf(diagram, '');
  const { entry = [], exit = [], invokes = [] } = root ?? {};
  return toStateMarkup(
    { id: '', parent: null, kind: 'compound', initial: null, ...diagram, entry, exit, invokes },
    inner,
  );
}

function linesInside(diagram: Diagram, parent: string, indent: string): readonly string[] {
  const initial = diagram.states.find(({ id }) => id === parent)?.initial ?? null;
  const first =
    initial === null
      ? []
      : [
          `${indent}${dotOf(parent)} [shape=circle, style=filled, fillcolor=${quote(colours.ink)}, color=${quote(colours.ink)}, width=0.12, fixedsize=true, label=""];`,
          `${indent}${dotOf(parent)} -> ${leafOf(diagram, initial)}${toAttributes(headOf(diagram, initial))};`,
        ];
  const anywhere = hasAnywhere(diagram, parent)
    ? [
        `${indent}${anywhereOf(parent)} [label=${quote(parent === '' ? 'any state' : `any of ${parent}`)}, style="rounded,dashed"];`,
      ]
    : [];
  return [
    ...first,
    ...anywhere,
    ...childrenOf(diagram, parent).flatMap((state) => linesOf(diagram, state, indent)),
  ];
}

function linesOf(diagram: Diagram, state: DiagramState, indent: string): readonly string[] {
  const label = `label=<${toStateMarkup(state, innerTransitionsOf(diagram, state.id))}>`;
  if (childrenOf(diagram, state.id).length === 0) {
    return [`${indent}${quote(state.id)}${toAttributes([label, ...lookOf(state)])};`];
  }
  return [
    `${indent}subgraph ${clusterOf(state.id)} {`,
    `${indent}  labeljust=l; fontsize=12; style="rounded,filled"; margin=14; color=${quote(colours.line)}; fillcolor=${quote(colours.cluster)}; ${label};`,
    ...linesInside(diagram, state.id, `${indent}  `),
    `${indent}}`,
  ];
}

function lookOf({ kind }: DiagramState): readonly string[] {
  if (kind === 'final') return ['peripheries=2', `fillcolor=${quote(colours.final)}`];
  if (kind === 'folded') return [`fillcolor=${quote(colours.folded)}`];
  if (kind === 'elsewhere') return ['style="rounded,dashed"', `fontcolor=${quote(colours.step)}`];
  return [];
}

/** Joins all transitions between the same two states into one arrow. */
function group(transitions: readonly DiagramTransition[]): readonly (readonly DiagramTransition[])[] {
  const groups = new Map<string, DiagramTransition[]>();
  for (const transition of transitions) {
    if (transition.target === null) continue;
    const ends = `${transition.source} -> ${transition.target}`;
    groups.set(ends, [...(groups.get(ends) ?? []), transition]);
  }
  return [...groups.values()];
}

function toArrow(diagram: Diagram, transitions: readonly DiagramTransition[]): string {
  const [first] = transitions;
  if (first === undefined || first.target === null) return '';
  const { source, target } = first;
  const text = toArrowMarkup(transitions);
  const tail = isFromAnywhere(first) ? anywhereOf(source) : leafOf(diagram, source);
  const attributes = [
    ...(text === '' ? [] : [`label=<${text}>`]),
    ...(isCluster(diagram, source) && !isFromAnywhere(first) ? [`ltail=${clusterOf(source)}`] : []),
    ...headOf(diagram, target),
  ];
  return `  ${tail} -> ${leafOf(diagram, target)}${toAttributes(attributes)};`;
}

function headOf(diagram: Diagram, id: string): readonly string[] {
  return isCluster(diagram, id) ? [`lhead=${clusterOf(id)}`] : [];
}

function isCluster(diagram: Diagram, id: string): boolean {
  return id !== '' && childrenOf(diagram, id).length > 0;
}

/** Arrows join nodes only: an arrow at a cluster is tied to its initial node, and clipped at the border. */
function leafOf(diagram: Diagram, id: string): string {
  const inside = childrenOf(diagram, id);
  const next = diagram.states.find((state) => state.id === id)?.initial ?? inside[0]?.id;
  return inside.length === 0 || next === undefined ? quote(id) : leafOf(diagram, next);
}

function clusterOf(id: string): string {
  return quote(`cluster ${id}`);
}

function dotOf(id: string): string {
  return quote(`initial of ${id}`);
}

function anywhereOf(id: string): string {
  return quote(`anywhere in ${id}`);
}

function toAttributes(attributes: readonly string[]): string {
  return attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
