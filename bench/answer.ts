import { cpus } from 'node:os';

/** What a file of this folder found out. */
export interface Answer {
  readonly question: string;
  /** What is measured, in one sentence. */
  readonly measured: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export interface Row {
  /** One text for each column. */
  readonly cells: readonly string[];
  /** Absent where the row is only there to compare with. */
  readonly goal?: { readonly text: string; readonly isMet: boolean };
  /** What remains, and why. */
  readonly note?: string;
}

/** Returns a goal in milliseconds, or in parts of a core: what a slow machine misses says so. */
export function judge(text: string, isMet: boolean): Pick<Row, 'goal' | 'note'> {
  const note =
    'The goal is for a machine on which Node starts `true` in 4 to 5 ms; the first table says how long this one took.';
  return { goal: { text, isMet }, ...(!isMet && { note }) };
}

/** Prints the answer of a file that was started by itself: as a table, or as JSON for `run.ts`. */
export function print(answer: Answer): void {
  const isForProgram = process.argv.includes('--json');
  console.log(isForProgram ? JSON.stringify(answer) : `${describeMachine()}\n\n${toMarkdown(answer)}`);
}

/** As far as it matters for the figures, and no further. */
export function describeMachine(): string {
  return `Measured on ${cpus().length} cores with Node ${process.versions.node} on ${process.platform}.`;
}

export function toMarkdown({ question, measured, columns, rows }: Answer): string {
  const table = [
    [...columns, 'goal', 'met', 'note'],
    [...columns, '', '', ''].map(() => '---'),
    ...rows.map(({ cells, goal, note }) => [...cells, goal?.text ?? '', toMark(goal), note ?? '']),
  ];
  return [`## ${question}`, '', measured, '', ...table.map((cells) => `| ${cells.join(' | ')} |`), ''].join(
    '\n',
  );
}

function toMark(goal: Row['goal']): string {
  if (goal === undefined) return '';
  return goal.isMet ? 'yes' : '**no**';
}
