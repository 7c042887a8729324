import { addStateFlags, type DefineVerb, type StateFlags } from '../verb.ts';

const more = `
✓ is as it should be, ! is missing and not everybody needs it, ✗ has to be set
right: then the exit code is 1.`;

export const define: DefineVerb = (command, { io, end }) => {
  command
    .description('Checks Node, the platform, the programs that troupe uses, limits, the state directory.')
    .addHelpText('after', more);
  addStateFlags(command, { json: 'print the checks as one JSON object' }).action(
    async (flags: StateFlags) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      end(await runDoctor({ flags, io }));
    },
  );
};
