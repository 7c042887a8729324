/** Takes the notice of an end, as a run does, and dies before the run confirms it: `node crash.ts <die | report>`. */
import { createSupervisor, createToolHost } from 'troupe';
import { createAiSdkRun } from 'troupe/ai-sdk';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'dangerous' } });
const told: string[] = [];

if (process.argv[2] === 'die') {
  await host.call({ name: 'start_process', input: { command: 'true', label: 'build' } });
  await new Promise<void>((resolve) => host.due$.subscribe(resolve));
  createAiSdkRun(host, { steer: () => process.kill(process.pid, 'SIGKILL') as never });
} else {
  createAiSdkRun(host, {
    steer: async (text) => {
      told.push(text);
      return { type: 'delivered' };
    },
  });
  await new Promise(setImmediate);
  console.log(JSON.stringify(told));
  await host.close();
  await supervisor.shutdown();
}
