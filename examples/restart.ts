// Shows what survives a crash: run it, kill it with -9 as it says, and run it again. `npm run restart -- end` ends the rest.
import { join } from 'node:path';
import { createSupervisor } from '../src/index.ts';

const supervisor = createSupervisor({
  stateDirectory: join(import.meta.dirname, 'restart-state'),
  // Ctrl-C ends this program in order; the counter is to outlive that, too.
  handleSignals: true,
});
const say = (text: string) => console.log(text);

const { adopted, lost } = supervisor.recovered;
for (const id of adopted) say(`adopted ${id}: it kept running without a supervisor`);
for (const id of lost) say(`lost    ${id}: it ended with the program that you killed`);

const counter =
  supervisor.get(adopted[0] ?? '') ??
  supervisor.start({
    command: 'n=0; while :; do echo $n; n=$((n+1)); sleep 0.1; done',
    label: 'counter',
    lifetime: 'persistent',
    background: true,
    maxBackgroundTime: 0,
  });

if (process.argv.includes('end')) {
  say((await counter.kill()).message);
  await supervisor.shutdown();
} else {
  const sleeper = supervisor.start({ command: ['sleep', '600'], label: 'sleeper', background: true });
  say(`\ncounter ${counter.id} is persistent, sleeper ${sleeper.id} is not.`);
  say(`Now, in another terminal:  kill -9 ${process.pid}\nThen run this again.\n`);

  setInterval(() => {
    const lines = counter.read({ format: 'raw', maxBytes: 10_000_000 }).text.trimEnd().split('\n');
    const isWhole = lines.every((line, n) => line === String(n));
    say(`the counter is at ${lines.at(-1)}; ${isWhole ? 'no number is missing' : 'A NUMBER IS MISSING'}`);
  }, 2_000);
}
