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

const { createSupervisor, processTools, toMcpTools, TroupeError } = await import('troupe');
console.log(loaded.join('\\n'));

const { processMachine } = await import('troupe/machines');
assert.equal(typeof processMachine.transition, 'function');

// Every door is made of the same modules.
const { createVirtualClock } = await import('troupe/testing');
assert.equal(typeof createVirtualClock().nowMs(), 'number');
const { parseToolSets } = await import('troupe/mcp');
assert.throws(() => parseToolSets('none'), TroupeError);

// Schemas are built when they are used.
assert.throws(() => createSupervisor({ timeuot: 1 }), /Did you mean "timeout"/);
const [runCommand] = toMcpTools(processTools);
assert.equal(runCommand.inputSchema.properties.command.type, 'string');
assert.ok(runCommand.outputSchema);

const { Observable } = await import('rxjs');
await runOneProcess();

async function runOneProcess() {
  const supervisor = createSupervisor();
  assert.ok(supervisor.events$ instanceof Observable, 'events$ is not an Observable of the rxjs beside troupe');
  const handle = supervisor.start({ command: [process.execPath, '-e', 'console.log(40 + 2)'] });
  const view = await handle.ended;
  assert.equal(view.status, 'completed');
  assert.equal(view.output.bytes, 3);
  const { survivors } = await supervisor.shutdown();
  assert.deepEqual(survivors, []);
}
`;
