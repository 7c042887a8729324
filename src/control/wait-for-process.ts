import type { ConditionName, Waited } from '../observe/wait-for.ts';
import type { FinalView } from '../process/process-view.ts';
import type { Recorded } from './ask-supervisor.ts';
import type { DirectoryGround } from './directory-ground.ts';
import { pause } from './pause.ts';
import { readRecorded } from './read-recorded.ts';
import type { WaitOrder } from './state-directory.ts';
import { findEnd } from './wait-process.ts';

/** How soon an end is seen that nobody tells, and another supervisor. */
const LOOK_MS = 100;

const MAX_LINE_BYTES = 500;

/** Waits for something of a process, whoever supervises it by then. Where nobody does, only its end and its log can be seen. */
export async function waitForProcess(
  ground: DirectoryGround,
  { id, order, signal }: { id: string; order: WaitOrder; signal: AbortSignal | undefined },
): Promise<Waited> {
  const startMs = ground.clock.nowMs();
  while (true) {
    signal?.throwIfAborted();
    const found = await ground.find(id);
    if (found.type === 'supervised') {
      try {
        return await ground.peers.ask(
          found.peer,
          { method: 'waitFor', params: { id, options: order } },
          { signal },
        );
      } catch (error) {
        if (!(await ground.isByEnd(error, found.peer))) throw error;
      }
    } else {
      const end = await findEnd(ground, found);
      if (end !== null) {
        const waitedMs = Math.round(ground.clock.nowMs() - startMs);
        return { ...(await judge(ground, { it: found, order, end })), waitedMs };
      }
    }
    await pause(ground.clock, { ms: LOOK_MS, signal });
  }
}

async function judge(
  ground: DirectoryGround,
  { it, order, end }: { it: Recorded; order: WaitOrder; end: FinalView },
): Promise<Omit<Waited, 'waitedMs'>> {
  const wanted = toNames(order);
  const matchedLine = await findLine(ground, { it, order });
  const isMet = (name: ConditionName) =>
    name === 'exit' || ((name === 'text' || name === 'pattern') && matchedLine !== null);
  const met = wanted.filter(isMet);
  const missing = wanted.filter((name) => !isMet(name));
  const isEnough = order.mode === 'all' ? missing.length === 0 : met.length > 0;
  return { end: { type: isEnough ? 'met' : 'ended' }, met, missing, matchedLine, process: end };
}

function toNames({ mode: _, from: __, ...conditions }: WaitOrder): readonly ConditionName[] {
  const names = Object.entries(conditions).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name as ConditionName],
  );
  return names.length === 0 ? ['exit'] : names;
}

async function findLine(
  ground: DirectoryGround,
  { it, order: { text, pattern, from } }: { it: Recorded; order: WaitOrder },
): Promise<string | null> {
  const grep = pattern ?? text?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (grep === undefined || from === 'now') return null;
  const readOptions = { grep, tail: 1, maxBytes: MAX_LINE_BYTES };
  const { text: line } = await readRecorded(ground, { it, readOptions });
  return line === '' ? null : line.trimEnd();
}
