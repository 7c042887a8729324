// Kills supervisors for as long as you like: npm run soak:crashes -- [rounds] [seed]. 200 rounds take some minutes.
import { tempDir } from '../support/os.ts';
import { runCrashRounds } from './crash-rounds.ts';

// A supervisor that is killed while it makes FIFOs leaves their folder.
using folder = tempDir();
process.env['TMPDIR'] = folder.path;

const [rounds = '200', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const perStory = 20;
let broken = 0;
for (let done = 0; done < Number(rounds); done += perStory) {
  const story = Number(seed) + done;
  const now = Math.min(perStory, Number(rounds) - done);
  const result = await runCrashRounds({ rounds: now, seed: story });
  broken += result.broken.length;
  console.log(
    `${done + now} of ${rounds} rounds; ${result.started} processes, ${result.adopted} adoptions, ${result.broken.length} laws broken (seed ${story})`,
  );
  for (const law of result.broken) console.log(`  ${law}`);
}
process.exitCode = broken === 0 ? 0 : 1;
