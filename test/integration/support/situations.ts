import { setTimeout } from 'node:timers/promises';
import type { ToolHost } from 'troupe';

/** The situation that a program of a framework is started for: `node program.ts <situation>`. */
export const situation = process.argv[2] ?? '';

export interface Situations {
  /** Makes a run with what a person says, and prints the replies. */
  readonly say: (said: string) => Promise<unknown>;
  /** The situations of this framework, by name, beside the common ones. */
  readonly own: Readonly<Record<string, () => Promise<unknown>>>;
}

/** Plays the situation, and closes the host and its supervisor. */
export async function playSituation(host: ToolHost, { say, own }: Situations): Promise<void> {
  const common: Situations['own'] = {
    report: () => say('Build.'),
    between: async () => {
      await say('Build.');
      await untilDue(host);
      await say('And?');
    },
    peek: async () => console.log(host.take()),
  };
  const play = own[situation] ?? common[situation];
  if (play === undefined) throw new Error(`There is no situation "${situation}".`);
  await play();
  await host.close();
  await host.supervisor.shutdown();
}

/** Resolves when a notice waits. */
export function untilDue(host: ToolHost): Promise<void> {
  return new Promise((resolve) => void host.due$.subscribe(() => resolve()));
}

/** Ends the program as a crash would. */
export function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Aborts a run once its command is running; prints how the run ended, and the status of the command once it has changed. */
export async function abortRun(
  { supervisor }: ToolHost,
  begin: (abort: AbortController) => Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  const ended = begin(abort).then(
    () => 'done',
    (error: Error) => error.constructor.name,
  );
  while (supervisor.list({ live: true }).length === 0) await setTimeout(20);
  abort.abort();
  const how = await ended;
  while (['pending', 'running'].includes(supervisor.list()[0]?.status ?? '')) await setTimeout(20);
  console.log(`${how}: ${supervisor.list()[0]?.status}`);
}
