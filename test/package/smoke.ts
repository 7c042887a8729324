/**
 * Run from an empty project in which the packed package is installed, by plain Node: no test runner, no type
 * stripping of ours, the production build of xstate. Prints what was loaded, one URL a line.
 */
export const smokeProgram = `
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

const machines = await import('troupe/machines');
assert.equal(typeof machines.processMachine?.transition, 'function');

if (process.argv.includes('--with-door')) {
  const beforeDoor = loaded.length;
  const troupe = await import('troupe');
  assert.ok(Object.keys(troupe).length > 0, 'troupe exports nothing');
  console.log(loaded.slice(beforeDoor).join('\\n'));
  await runOneProcess(troupe);
}

async function runOneProcess({ createSupervisor }) {
  const supervisor = createSupervisor();
  const handle = supervisor.start({ command: [process.execPath, '-e', 'console.log(40 + 2)'] });
  const view = await handle.ended;
  assert.equal(view.status, 'completed');
  assert.equal(view.output.bytes, 3);
  const { survivors } = await supervisor.shutdown();
  assert.deepEqual(survivors, []);
}
`;
