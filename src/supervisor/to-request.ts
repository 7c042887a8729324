import type { Command } from '../process/command.ts';
import type { Launch } from '../process/process-plan.ts';
import type { SpawnRequest, Work } from '../spawn/backend.ts';
import { createEnvironment } from '../spawn/environment.ts';
import type { PlanningGround } from './planning-ground.ts';

/** What is asked of a backend for one attempt. */
export function toRequest(start: {
  readonly id: string;
  readonly attempt: number;
  readonly cwd: string;
  readonly owner: string;
  readonly launch: Launch;
  readonly files: SpawnRequest['files'];
  readonly outlives: boolean;
  readonly ground: PlanningGround;
}): SpawnRequest {
  const { id, attempt, cwd, owner, launch, files, outlives, ground } = start;
  const { work, stdin, size, hints, env, secrets } = launch;
  const { settings, supervisorId, depth } = ground;
  return {
    id,
    attempt,
    work,
    cwd,
    // A function has the environment of this program, which nobody can change for it.
    env:
      work.type === 'function'
        ? {}
        : createEnvironment({
            inherited: process.env,
            isRedacted: ground.isRedacted,
            hasTerminal: size !== null,
            // A terminal has a type of its own, which its backend knows.
            hints: size === null ? hints : { ...hints, term: false },
            overrides: { ...settings.env, ...env, ...secrets },
            identity: { processId: id, supervisorId, owner, depth },
          }),
    stdin,
    outlives,
    terminal: size,
    secrets: Object.values(secrets),
    files,
  };
}

export function toWork(command: Exclude<Command, { type: 'function' }>): Exclude<Work, { type: 'function' }> {
  if (command.type === 'shell') return command;
  const [file, ...args] = command.argv;
  return { type: 'argv', file, args };
}
