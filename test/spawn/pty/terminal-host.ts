// Runs a supervisor whose terminals are ptys: node terminal-host.ts <directory>. Starts a stubborn process in one, with a child in its
// own session, prints "ready <supervisor id>", and waits.
import { createSupervisor } from '../../../src/index.ts';
import { waitUntil } from '../../support/os.ts';

const [directory = ''] = process.argv.slice(2);
const supervisor = createSupervisor({
  cwd: directory,
  stateDirectory: `${directory}/state`,
  terminal: 'pty',
});
const script = 'trap "" HUP TERM INT; setsid sleep 300 & sleep 301 & echo up; while :; do sleep 1; done';
const handle = supervisor.start({ command: script, interactive: true, background: true });
await waitUntil(async () => {
  const answer = await handle.capture();
  return answer.ok && answer.screen.lines.includes('up');
});
process.stdout.write(`ready ${supervisor.id}\n`);
setInterval(() => {}, 60_000);
