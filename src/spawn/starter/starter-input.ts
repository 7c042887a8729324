import type { SpawnRequest } from '../backend.ts';
import { createInputPipe, type InputPipe } from '../input/input-pipe.ts';
import type { PipePool } from '../input/pipe-pool.ts';
import type { Starter } from './starter.ts';
import type { StartOrder } from './starter-process.ts';

/** Order for a program that makes a pipe and waits for its input. */
export const pipeMaker = { cwd: '/', env: {}, stdio: ['held', 'ignore', 'ignore'] } as const;

/** Makes the input of a child of the starter. Its pipe comes from a shell that the starter runs. */
export async function makeInput(
  { stdin }: SpawnRequest,
  { starter, inputs }: { readonly starter: Starter; readonly inputs: PipePool },
): Promise<InputPipe> {
  const startShell = async (command: StartOrder['command']) =>
    (await starter.start({ ...pipeMaker, command })).pid;
  const input = stdin === 'end' ? null : await inputs.takeWith(startShell);
  return createInputPipe(stdin, { take: () => input });
}
