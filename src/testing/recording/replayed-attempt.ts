import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { BackendPort } from '../../spawn/backend.ts';
import type { AttemptEntry } from './recording-entry.ts';

/** Reports that the program differs from the recording. */
export type Diverge = (what: string) => void;

type CommandEntry = Extract<AttemptEntry, { type: 'command' }>;

/**
 * Plays a recorded attempt instead of running it on a backend. The attempt begins no earlier than in the recording. Events after a command
 * keep their distance to it, so a later kill leads to a later end.
 */
export function replayAttempt(
  port: BackendPort,
  { entries, diverge }: { readonly entries: readonly AttemptEntry[]; readonly diverge: Diverge },
): Cancel {
  const { clock } = port;
  const given = new Map<CommandEntry, BackendCommand>();
  const commands = entries.filter((entry) => entry.type === 'command');
  const [run, ...rest] = entries;
  let delayMs = delayAt(clock, run);
  let index = 0;
  let isPlaying = false;
  let cancelNext: Cancel = () => {};

  const play = () => {
    if (isPlaying) return;
    isPlaying = true;
    cancelNext();
    for (let entry = rest[index]; entry !== undefined; entry = rest[index]) {
      if (entry.type === 'command') {
        if (!given.has(entry)) break;
        delayMs = clock.nowMs() - entry.at;
      } else {
        const dueMs = entry.at + delayMs;
        if (dueMs > clock.nowMs()) {
          cancelNext = clock.at(dueMs, play);
          break;
        }
        emit(entry);
      }
      index += 1;
    }
    isPlaying = false;
  };

  const emit = (entry: AttemptEntry) => {
    switch (entry.type) {
      case 'fact':
        return port.tell(entry.fact);
      case 'output':
        return void port.output.write(entry.stream, toBytes(entry));
      case 'screen':
        return port.keepScreen(entry.screen);
      case 'reply':
        return reply(entry);
    }
  };

  const reply = ({ number, answer }: Extract<AttemptEntry, { type: 'reply' }>) => {
    const entry = commands.find((each) => each.number === number);
    const command = entry && given.get(entry);
    if (command !== undefined && 'reply' in command) (command.reply as (answer: unknown) => void)(answer);
  };

  port.onCommand((command) => {
    // Not recorded: the facts that follow it are.
    if (command.type === 'start.cancel') return;
    const entry = commands.find((each) => each.command === command.type && !given.has(each));
    if (entry !== undefined) {
      given.set(entry, command);
      return play();
    }
    const { id, attempt } = port.request;
    const signal = command.type === 'tree.end' || command.type === 'tree.signal' ? ` ${command.signal}` : '';
    diverge(`${id} got ${command.type}${signal} in attempt ${attempt}, after ${describeTime(clock)}`);
  });
  play();
  return () => cancelNext();
}

/** Returns the delay of the current time relative to a recorded entry; never negative. */
export function delayAt(clock: Pick<Clock, 'nowMs'>, entry: { readonly at: number } | undefined): number {
  return Math.max(0, clock.nowMs() - (entry?.at ?? 0));
}

export function describeTime(clock: Pick<Clock, 'nowMs'>): string {
  return `${Math.round(clock.nowMs())} ms`;
}

function toBytes({ text, base64 }: Extract<AttemptEntry, { type: 'output' }>): Uint8Array {
  return text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
}
