import { addStateFlags, type StateFlags } from '../state/state-flags.ts';
import type { VerbSetup } from '../verb.ts';

const more = `
✓ is as it should be, ! is missing and not everybody needs it, ✗ has to be set
right: then the exit code is 1.`;

export function defineDoctor({ program, io, end }: VerbSetup): void {
  const command = program
    .command('doctor')
    .summary('check this machine')
    .description('Checks Node, the platform, the programs that troupe uses, limits, the state directory.')
    .addHelpText('after', more);
  addStateFlags(command, { json: 'print the checks as one JSON object' }).action(
    async (flags: StateFlags) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      end(await runDoctor({ flags, io }));
    },
  );
}
