/** An agent of Mastra with a workspace, whose commands are supervised processes: `node workspace.ts <what a person says>`. */
import { Agent } from '@mastra/core/agent';
import { MastraSandbox, ProcessHandle, SandboxProcessManager, Workspace } from '@mastra/core/workspace';
import { createSupervisor } from 'troupe';
import { createMastraSandbox } from 'troupe/mastra';

const supervisor = createSupervisor();
const parts = { MastraSandbox, ProcessHandle, SandboxProcessManager };
const workspace = new Workspace({
  sandbox: createMastraSandbox({ supervisor, policy: { mode: 'auto' } }, parts),
});
const agent = new Agent({
  id: 'builder',
  name: 'Builder',
  instructions: 'You build projects.',
  model: { id: 'openai/gpt-5.1', url: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1' },
  workspace,
});

const { text } = await agent.generate(process.argv[2] ?? '', { maxSteps: 20 });
console.log(text);
for (const { commandLine, status } of supervisor.list()) console.log(`${commandLine}: ${status}`);
await workspace.destroy();
await supervisor.shutdown();
