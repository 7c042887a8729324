import { type Range, toPercent } from './axis.ts';
import type { MachineSpan, StageRow } from './stage.ts';
import type { Span } from './staged-process.ts';
import { at } from './state.ts';
import { toClock, toEndClause, toEndWord } from './words.ts';

/** Right half of a row: what it was doing when. */
export function Lane({ row, shown }: { readonly row: StageRow; readonly shown: Range }) {
  const isVisible = (from: number, to: number) => to >= shown.from && from <= shown.to;
  const endAt = row.type === 'process' ? row.endedAt : null;
  return (
    <div class="lane" role="gridcell" aria-label={toSentence(row)}>
      {row.spans
        .filter(({ from, to }) => isVisible(from, to ?? at.value))
        .map((span) => {
          const { state, from, to } = span;
          const left = Math.max(-2, toPercent(from, shown));
          const right = Math.min(102, toPercent(to ?? at.value, shown));
          return (
            <i
              key={`${state} ${from}`}
              class={`bar ${state} ${to === null ? 'open' : ''}`}
              style={{ left: `${left}%`, width: `${right - left}%` }}
            >
              {isNamed(span) && <b>{span.text}</b>}
            </i>
          );
        })}
      {row.type === 'process' &&
        row.marks
          .filter(({ at: time }) => isVisible(time, time))
          .map((mark) => (
            <i
              key={`${mark.type} ${mark.at}`}
              class={`mark ${mark.type}`}
              title={`${mark.type} ${mark.text} · ${toClock(mark.at, 1)}`}
              style={{ left: `${toPercent(mark.at, shown)}%` }}
            />
          ))}
      {row.type === 'process' && endAt !== null && isVisible(endAt, endAt) && (
        <span class={`end ${row.status}`} style={{ left: `${toPercent(endAt, shown)}%` }}>
          {row.status === 'completed' ? '✓' : '✗'} {toEndWord(row.view)}
        </span>
      )}
    </div>
  );
}

function isNamed(span: Span): span is MachineSpan {
  return 'text' in span;
}

/** Says for a screen reader what the lane draws. */
function toSentence(row: StageRow): string {
  if (row.type === 'supervisor') return '';
  if (row.type === 'owner') return `${row.spans.length} turns`;
  if (row.type === 'machine')
    return row.spans.map(({ text, from }) => `${text} from ${toClock(from)}`).join(', ');
  const states = row.spans.map(({ state, from }) => `${state} from ${toClock(from)}`).join(', ');
  const end = toEndClause(row.view);
  return end === null || row.endedAt === null ? states : `${states}, ${end} at ${toClock(row.endedAt)}`;
}
