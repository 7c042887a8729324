import { childrenOf, type Diagram } from './diagram.ts';

/** The colours of a picture for one kind of page. */
interface Theme {
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly box: string;
  readonly group: string;
  readonly good: string;
  readonly bad: string;
  readonly ended: string;
}

const light: Theme = {
  ink: '#1f2328',
  quiet: '#57606a',
  line: '#818b98',
  box: '#ffffff',
  group: '#eef2f6',
  good: '#1a7f37',
  bad: '#cf222e',
  ended: '#9a6700',
};

const dark: Theme = {
  ink: '#e6edf3',
  quiet: '#9da7b1',
  line: '#768390',
  box: '#161b22',
  group: '#212830',
  good: '#3fb950',
  bad: '#f85149',
  ended: '#d29922',
};

/** The colours of the page around the picture. */
const ofPage: Theme = {
  ink: 'var(--ink)',
  quiet: 'var(--soft)',
  line: 'var(--chart-line)',
  box: 'var(--panel)',
  group: 'var(--bg)',
  good: 'var(--completed)',
  bad: 'var(--failed)',
  ended: 'var(--killed)',
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: 'line' | 'good' | 'bad' | 'ended';
}

/** Position of each state. Names and descriptions come from the chart. */
const boxes: Readonly<Record<string, Box>> = {
  pending: { x: 8, y: 152, width: 150, height: 62, colour: 'line' },
  running: { x: 206, y: 64, width: 172, height: 62, colour: 'line' },
  backgrounded: { x: 206, y: 190, width: 172, height: 62, colour: 'line' },
  stopping: { x: 434, y: 226, width: 176, height: 78, colour: 'line' },
  restarting: { x: 206, y: 330, width: 172, height: 62, colour: 'line' },
  completed: { x: 652, y: 8, width: 172, height: 46, colour: 'good' },
  failed: { x: 652, y: 62, width: 172, height: 92, colour: 'bad' },
  killed: { x: 652, y: 176, width: 172, height: 62, colour: 'ended' },
  timed_out: { x: 652, y: 250, width: 172, height: 78, colour: 'bad' },
  lost: { x: 652, y: 340, width: 172, height: 62, colour: 'bad' },
};

interface Arrow {
  readonly path: string;
  readonly words: string;
  readonly at: readonly [x: number, y: number];
  /** The transitions of the chart that the arrow stands for: `running -> completed`. */
  readonly stands: readonly string[];
}

const arrows: readonly Arrow[] = [
  { path: 'M158 183H192', words: '', at: [0, 0], stands: ['pending -> running', 'pending -> backgrounded'] },
  {
    path: 'M292 126V186',
    words: 'caller leaves',
    at: [300, 162],
    stands: ['running -> backgrounded'],
  },
  {
    path: 'M392 95C520 95 560 31 646 31',
    words: 'it exits',
    at: [452, 72],
    stands: ['running -> completed', 'backgrounded -> completed'],
  },
  { path: 'M392 103H646', words: '', at: [0, 0], stands: ['running -> failed', 'backgrounded -> failed'] },
  {
    path: 'M392 221C412 221 412 258 428 262',
    words: 'a kill, or a limit',
    at: [402, 214],
    stands: ['running -> stopping', 'backgrounded -> stopping'],
  },
  { path: 'M610 256C630 252 630 207 646 207', words: '', at: [0, 0], stands: ['stopping -> killed'] },
  { path: 'M610 274C630 274 630 289 646 289', words: '', at: [0, 0], stands: ['stopping -> timed_out'] },
  {
    path: 'M292 270V326',
    words: 'it exits, to run again',
    at: [300, 304],
    stands: ['running -> restarting', 'backgrounded -> restarting'],
  },
  {
    path: 'M206 361C110 361 84 290 84 218',
    words: 'after a pause',
    at: [104, 380],
    stands: ['restarting -> pending'],
  },
  {
    path: 'M520 304C520 352 460 361 382 361',
    words: 'a restart was asked for',
    at: [400, 386],
    stands: ['stopping -> restarting', 'stopping -> pending'],
  },
];

/** States and transitions that the picture describes in a note instead of a box and arrows. */
const notes: readonly { words: string; states?: readonly string[]; stands: readonly string[] }[] = [
  {
    words:
      'A process that never ran may fail, be killed, time out, stop, or be tried again; so may one that waits to be restarted.',
    stands: [
      'pending -> failed',
      'pending -> killed',
      'pending -> timed_out',
      'pending -> stopping',
      'pending -> restarting',
      'restarting -> killed',
      'restarting -> timed_out',
    ],
  },
  {
    words:
      'Any state may become lost. Leftovers of a completed or failed process are still watched, and a kill ends them like a process.',
    states: ['leftover'],
    stands: [
      ' -> lost',
      'stopping -> lost',
      'pending -> leftover',
      'running -> leftover',
      'backgrounded -> leftover',
      'leftover -> completed',
      'leftover -> failed',
    ],
  },
];

/**
 * Draws the ten states of a process in plain words, for a page 830 pixels wide, light and dark. Throws if the chart has a
 * state or a transition that the picture does not show, or the other way round.
 */
export function renderLife(diagram: Diagram): ReadonlyMap<string, string> {
  checkAgainst(diagram);
  return new Map([
    ['life.svg', toLife(diagram, light)],
    ['life.dark.svg', toLife(diagram, dark)],
  ]);
}

/**
 * Draws the same picture in the colours of a page around it. States are groups with `data-state`, arrows with `data-stands`: the
 * transitions that they stand for, such as `running -> failed`.
 */
export function drawLife(diagram: Diagram): string {
  return toLife(diagram, ofPage);
}

function checkAgainst(diagram: Diagram): void {
  const outermost = (id: string) => id.split('.')[0] ?? '';
  const inChart = diagram.transitions.flatMap(({ source, target }) => {
    if (target === null || outermost(source) === outermost(target)) return [];
    return [`${outermost(source)} -> ${outermost(target)}`];
  });
  const states = childrenOf(diagram, '').map(({ id }) => id);
  const drawn = [...arrows, ...notes].flatMap(({ stands }) => stands);
  const shown = [...Object.keys(boxes), ...notes.flatMap(({ states = [] }) => states)];
  const differences = [
    ...[...new Set(inChart)].filter((each) => !drawn.includes(each)),
    ...drawn.filter((each) => !inChart.includes(each)),
    ...states.filter((id) => !shown.includes(id)),
    ...shown.filter((id) => !states.includes(id)),
  ];
  if (differences.length > 0)
    throw new Error(`src/charts/life-chart.ts and the chart differ in: ${differences.join(', ')}`);
}

function toLife(diagram: Diagram, theme: Theme): string {
  const states = childrenOf(diagram, '').flatMap(({ id, description }) => {
    const box = boxes[id];
    return box === undefined ? [] : toBox({ id, description, box, theme });
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 830 462" width="830" height="462" font-family="Arial, Helvetica, Liberation Sans, sans-serif" font-size="12.5">',
    '<title>The ten states of a process</title>',
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="11" markerHeight="11" orient="auto"><path d="M0 0L8 4L0 8Z" fill="${theme.line}"/></marker></defs>`,
    `<rect x="192" y="30" width="200" height="240" rx="10" fill="${theme.group}"/>`,
    `<text x="206" y="51" fill="${theme.quiet}">alive</text>`,
    ...arrows.map(({ path, words, at: [x, y], stands }) =>
      [
        `<g data-stands="${stands.join(', ').replaceAll('>', '&gt;')}">`,
        `<path d="${path}" fill="none" stroke="${theme.line}" stroke-width="1.4" marker-end="url(#head)"/>`,
        ...(words === '' ? [] : [`<text x="${x}" y="${y}" fill="${theme.quiet}">${words}</text>`]),
        '</g>',
      ].join(''),
    ),
    ...states,
    ...notes.map(
      ({ words }, index) => `<text x="8" y="${432 + index * 20}" fill="${theme.quiet}">${words}</text>`,
    ),
    '</svg>\n',
  ].join('\n');
}

interface BoxContent {
  readonly id: string;
  readonly description: string;
  readonly box: Box;
  readonly theme: Theme;
}

function toBox({
  id,
  description,
  box: { x, y, width, height, colour },
  theme,
}: BoxContent): readonly string[] {
  const isEnd = colour !== 'line';
  return [
    `<g data-state="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${theme.box}" stroke="${theme[colour]}" stroke-width="${isEnd ? 1.8 : 1.3}"/>`,
    `<text x="${x + 10}" y="${y + 20}" font-size="14" font-weight="bold" fill="${isEnd ? theme[colour] : theme.ink}">${id}</text>`,
    ...wrap(description, Math.floor((width - 14) / 6.7)).map(
      (line, index) => `<text x="${x + 10}" y="${y + 37 + index * 15}" fill="${theme.ink}">${line}</text>`,
    ),
    '</g>',
  ];
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
