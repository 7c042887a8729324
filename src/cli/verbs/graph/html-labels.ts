import type { DiagramState, DiagramTransition } from '../../../charts/diagram.ts';

/** Colours of a picture: ink for names, one accent for events, one for guards, grey for steps. */
export const colours = {
  ink: '#1f2933',
  event: '#1f4e8c',
  guard: '#8a5a00',
  step: '#5b6b7c',
  line: '#7b8794',
  paper: '#ffffff',
  cluster: '#f6f8fa',
  folded: '#e9f0f9',
  final: '#eef3ee',
} as const;

const DESCRIPTION_COLUMNS = 38;
const STEP_COLUMNS = 44;
/** Labels of arrows have less room than states. */
const ARROW_COLUMNS = 30;

/** Renders a state as an HTML-like table of Graphviz: its name, its description, and its steps without a change of state. */
export function toStateMarkup(state: DiagramState, inner: readonly DiagramTransition[]): string {
  const steps = [
    ...state.invokes.map((actor) => toSteps('invoke', [actor])),
    ...(state.entry.length === 0 ? [] : [toSteps('entry /', state.entry)]),
    ...(state.exit.length === 0 ? [] : [toSteps('exit /', state.exit)]),
    ...inner.map((transition) => toTransitionMarkup(transition, STEP_COLUMNS)),
  ];
  const rows = [
    toRow(`<B>${escapeText(state.name)}</B>`),
    ...(state.description === ''
      ? []
      : [toRow(paint(colours.step, wrap(state.description.split(' '), DESCRIPTION_COLUMNS)))]),
    ...(steps.length === 0 ? [] : [RULE]),
    ...steps.map(toRow),
  ];
  return `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2" COLOR="${colours.line}">${rows.join('')}</TABLE>`;
}

/** Renders the label of an arrow: each transition along it begins a new line. */
export function toArrowMarkup(transitions: readonly DiagramTransition[]): string {
  const rows = transitions
    .map((transition) => toTransitionMarkup(transition, ARROW_COLUMNS))
    .filter((text) => text !== '');
  if (rows.length === 0) return '';
  return `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">${rows.map(toIndentedRow).join('')}</TABLE>`;
}

function toTransitionMarkup({ event, guard, actions }: DiagramTransition, columns: number): string {
  const head = [
    ...(event === null ? [] : [paint(colours.event, [event])]),
    ...(guard === null ? [] : [paint(colours.guard, [`[${guard}]`])]),
  ].join(' ');
  if (actions.length === 0) return head;
  const width = (event?.length ?? 0) + (guard?.length ?? 0) + actions.join(', ').length;
  if (head !== '' && width > columns) return `${head}${NEW_LINE}${toSteps('\u00a0\u00a0/', actions)}`;
  return [...(head === '' ? [] : [head]), toSteps('/', actions)].join(' ');
}

const RULE = '<HR/><TR><TD HEIGHT="3" CELLPADDING="0"></TD></TR>';
const NEW_LINE = '<BR ALIGN="LEFT"/>';

function toSteps(word: string, actions: readonly string[]): string {
  const items = actions.map((action, index) => (index === actions.length - 1 ? action : `${action},`));
  return `${paint(colours.step, [word])} ${paint(colours.step, wrap(items, STEP_COLUMNS))}`;
}

function toRow(content: string): string {
  return `<TR><TD ALIGN="LEFT" BALIGN="LEFT">${content}</TD></TR>`;
}

/** Keeps a label off the line it belongs to. */
function toIndentedRow(content: string): string {
  return `<TR><TD WIDTH="4"></TD><TD ALIGN="LEFT" BALIGN="LEFT">${content}</TD></TR>`;
}

function paint(colour: string, lines: readonly string[]): string {
  return `<FONT COLOR="${colour}">${lines.map(escapeText).join(NEW_LINE)}</FONT>`;
}

/** Fills lines with pieces, which are never broken; one that is longer than a line gets a line of its own. */
function wrap(pieces: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.pop();
    if (last === undefined) lines.push(piece);
    else if (last.length + 1 + piece.length > columns) lines.push(last, piece);
    else lines.push(`${last} ${piece}`);
  }
  return lines;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
