import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { carriers, endAll, fixtureProgram, isAlive, tempDir, waitUntil } from '../../support/os.ts';

export interface StandIn {
  readonly supervisorId: string;
  readonly watchdogPid: number;
  readonly file: (name: string) => string;
  /** Returns the carriers of the supervisor's cookie, according to the system. */
  alive(): number[];
  /** Kills the supervisor by SIGKILL. */
  kill(): void;
  /** Resolves when the watchdog has ended by itself, after its work. */
  watchdogEnd(): Promise<unknown>;
  end(): Promise<void>;
}

/** Supervisor in its own program, see fixtures/programs/supervisor-stand-in.ts. */
export async function startStandIn(
  kind: 'tree' | 'loop' | 'idle' | 'exempt' | 'unsent' | 'sampled',
): Promise<StandIn> {
  const supervisorId = `sup_${Math.random().toString(36).slice(2, 10)}`;
  const directory = tempDir();
  const child = spawn(
    process.execPath,
    [fixtureProgram('supervisor-stand-in.ts'), supervisorId, kind, directory.path],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const watchdogPid = Number((await firstLine(child)).replace('ready ', ''));
  return {
    supervisorId,
    watchdogPid,
    file: directory.file,
    alive: () => carriers(`/${supervisorId}/`),
    kill: () => void child.kill('SIGKILL'),
    watchdogEnd: () => waitUntil(() => !isAlive(watchdogPid), { what: 'the watchdog has ended' }),
    end: async () => {
      child.kill('SIGKILL');
      await endAll([watchdogPid], `/${supervisorId}/`);
      directory.remove();
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('the stand-in ended without a word');
}
