/** Runs actions of the shell tool, and prints what the model then sees: `node shell.ts <mode of the policy> <action as JSON>`. */
import { Agent, Runner, shellTool } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { createSupervisor, createToolHost } from 'troupe';
import { createOpenAiShell } from 'troupe/openai-agents';

const [mode, action] = process.argv.slice(2);
const supervisor = createSupervisor({ stateDirectory: false });
const policy = { mode: mode as 'default', commands: { deny: ['rm *'] } };
const host = createToolHost({ supervisor, owner: 'chat', policy });
const call = { type: 'shell_call', callId: 'call_1', action: JSON.parse(action ?? '') } as const;
const model = new ScriptedModel([[call], [assistantMessage('Done.')]]);
const agent = new Agent({ name: 'Builder', model, tools: [shellTool(createOpenAiShell(host))] });
const { interruptions } = await new Runner({ tracingDisabled: true }).run(agent, 'Go.');
const results = [model.calls.at(-1)?.request.input ?? []]
  .flat()
  .filter((item) => typeof item === 'object' && item.type === 'shell_call_output');
console.log(
  JSON.stringify({
    asked: interruptions.length,
    results,
    ends: supervisor.list().map(({ status }) => status),
    notice: host.take(),
    live: supervisor.list({ live: true }).length,
  }),
);
await host.close();
await supervisor.shutdown();
