import type { ScheduleFlags } from '../schedule/add-schedule.ts';
import { addStateFlags, type DefineVerb, idHelp, type StateFlags } from '../verb.ts';

const toMore = (name: string) => `
An agent is told by its supervisor, as it is told of the end of a process. Name
a process of that agent, or the agent as --owner: what was started from a shell
belongs to none. See: ${name} schedule <command> --help

Examples:
  ${name} schedule add --every 60s --process tool_k3m9xq2p 'See how it goes.'
  ${name} schedule add --after 10m --owner assistant_1 'Write the report.'
  ${name} schedule cancel $(${name} schedule list -q)`;

/** What is to be told to agents later. */
export const define: DefineVerb = (command, setup) => {
  const { name, io, end } = setup;
  const group = command
    .description('Has an agent told something later, once or again and again.')
    .usage('<command> [options]')
    .helpCommand(false)
    .addHelpText('after', toMore(name));
  addStateFlags(
    group
      .command('add')
      .description('Adds a schedule and prints its id. It goes with its process, if it has one.')
      .argument('<message...>', 'what is told')
      .option('--every <duration>', 'again and again: 60s, 5m')
      .option('--after <duration>', 'once')
      .option('--process <process>', idHelp)
      .option('--owner <owner>', 'who is told (the owner of the process, or of the supervisor)')
      .option('--supervisor <supervisor>', 'who keeps it, where there are several'),
    { json: 'print it as one JSON object', quiet: 'print only its id' },
  ).action(async (words: readonly string[], flags: ScheduleFlags) => {
    const { addSchedule } = await import('../schedule/add-schedule.ts');
    end(await addSchedule({ words, flags, io }));
  });
  addStateFlags(
    group
      .command('list')
      .description('Lists what is to be told, the next one first.')
      .option('--owner <owner>', 'only those of one owner'),
    { json: 'print one JSON array', quiet: 'print only ids' },
  ).action(async (flags: ScheduleFlags) => {
    const { listSchedules } = await import('../schedule/list-schedules.ts');
    end(await listSchedules({ flags, io }));
  });
  addStateFlags(
    group
      .command('cancel')
      .description('Takes schedules away.')
      .argument('<schedule...>', 'ids, as list prints them'),
    { json: 'print one JSON array', quiet: 'print only what went wrong' },
  ).action(async (ids: readonly string[], flags: StateFlags) => {
    const { cancelSchedules } = await import('../schedule/cancel-schedules.ts');
    end(await cancelSchedules({ ids, flags, io }));
  });
};
