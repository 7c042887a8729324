import type { NoticePart, Withdrawal } from './notice-part.ts';

/** Something that waits for an agent, or comes to wait. */
interface Waiting {
  readonly id: string;
  readonly part?: NoticePart;
}

/** What waits of the schedule that these news are of, told earlier; `null` where nothing does. */
export function findEarlierDue<It extends Waiting>(
  waiting: ReadonlyMap<string, It>,
  news: Waiting,
): It | null {
  const { id, part } = news;
  if (part?.type !== 'due') return null;
  for (const each of waiting.values())
    if (each.part?.type === 'due' && each.part.scheduleId === part.scheduleId && each.id !== id) return each;
  return null;
}

/** Of a schedule only the newest news wait: they take the place of the earlier ones, and count them. */
export function replaceDue<It extends Waiting>(waiting: Map<string, It>, news: It): void {
  const earlier = findEarlierDue(waiting, news);
  if (earlier !== null) waiting.delete(earlier.id);
  waiting.set(news.id, withMissed(news, earlier));
}

function withMissed<It extends Waiting>(news: It, earlier: Waiting | null): It {
  if (news.part?.type !== 'due' || earlier?.part?.type !== 'due') return news;
  return { ...news, part: { ...news.part, missed: news.part.missed + earlier.part.missed + 1 } };
}

/** The processes whose schedules something waits of. */
export function findDueProcesses(waiting: Iterable<Waiting>): ReadonlySet<string> {
  const ids = [...waiting].map(({ part }) => (part?.type === 'due' ? part.processId : null));
  return new Set(ids.filter((id) => id !== null));
}

/** Whether this is of what was withdrawn. */
export function isWithdrawn({ part }: Waiting, { of, id }: Withdrawal): boolean {
  if (part?.type !== 'due') return false;
  return of === 'schedule' ? part.scheduleId === id : part.processId === id;
}
