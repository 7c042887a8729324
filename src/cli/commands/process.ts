import type { VerbSetup } from '../verb.ts';
import { describeAttach } from './attach.ts';
import { describeKeys } from './keys.ts';
import { describeKill } from './kill.ts';
import { describeLogs } from './logs.ts';
import { describePs } from './ps.ts';
import { describeResize } from './resize.ts';
import { describeRestart } from './restart.ts';
import { describeScreen } from './screen.ts';
import { describeShow } from './show.ts';
import { describeWait } from './wait.ts';
import { describeWatch } from './watch.ts';
import { describeWrite } from './write.ts';

const toMore = (name: string) => `
They are ps, show, logs, kill, wait, watch, write, restart, attach, screen, keys
and resize, in the words of the tools that agents have.
See: ${name} process <command> --help`;

/** The verbs of a shell once more, by the names that they have as tools. */
export function defineProcess(setup: VerbSetup): void {
  const group = setup.program
    .command('process')
    .summary('the same by other names: process list, show, output, …')
    .description('Lists and steers processes.')
    .usage('<command> [options]')
    .helpCommand(false)
    .addHelpText('after', toMore(setup.program.name()));
  describePs(group.command('list'), setup);
  describeShow(group.command('show'), setup);
  describeLogs(group.command('output'), setup);
  describeKill(group.command('kill'), setup);
  describeWait(group.command('wait'), setup);
  describeWatch(group.command('watch'), setup);
  describeWrite(group.command('write'), setup);
  describeRestart(group.command('restart'), setup);
  describeAttach(group.command('attach'), setup);
  describeScreen(group.command('screen'), setup);
  describeKeys(group.command('keys'), setup);
  describeResize(group.command('resize'), setup);
}
