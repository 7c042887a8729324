/** What a user may write: types of xstate, rxjs and zod go in and out of every door. It is compiled, not run. */
export const userProgram = `
import { createSupervisor, defineTool, runAgent, startGroup, waitFor, type SupervisorOptions, type Tool } from 'troupe';
import { processMachine, toStatus } from 'troupe/machines';
import { createMcpServer, type McpServer } from 'troupe/mcp';
import { coveringPaths, createScriptedBackend, createVirtualClock } from 'troupe/testing';
import { processLogic, type ProcessActorEvent } from 'troupe/xstate';
import { filter, firstValueFrom, map, type Observable } from 'rxjs';
import { type ActorRefFrom, createActor, initialTransition, setup, type SnapshotFrom } from 'xstate';
import { z } from 'zod';

const options: SupervisorOptions = { timeout: '30s', env: { CI: '1' } };
const supervisor = createSupervisor(options);
const ids$: Observable<string> = supervisor.events$.pipe(
  filter((event) => event.type === 'process.ended'),
  map((event) => event.process.id),
);
const first: Promise<string> = firstValueFrom(ids$);

const handle = supervisor.start({ command: ['node', '--version'] });
const status: string = (await handle.ended).status;
const lines: Promise<string> = firstValueFrom(handle.lines$.pipe(map((line) => (line.type === 'line' ? line.text : 'gap'))));

export const add: Tool = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ left: z.number(), right: z.number().default(0) }),
  output: z.object({ sum: z.number() }),
  execute: async ({ left, right }) => ({ ok: true, data: { sum: left + right } }),
});

// @ts-expect-error The types of a tool's input are those of its schema.
defineTool({ name: 'n', description: 'n', input: z.object({ n: z.number() }), execute: async ({ m }) => ({ ok: true, data: m }) });

type Snapshot = SnapshotFrom<typeof processMachine>;
export type Life = ActorRefFrom<typeof processMachine>;
export const describe = (snapshot: Snapshot): string => toStatus(snapshot);
export const begin = (input: Parameters<typeof createActor<typeof processMachine>>[1]) => createActor(processMachine, input);

export const pipeline = setup({
  types: { events: {} as ProcessActorEvent },
  actors: { process: processLogic(supervisor) },
}).createMachine({
  invoke: {
    src: 'process',
    input: { command: 'make', onLeave: 'detach' },
    onDone: { guard: ({ event }) => event.output.exit?.code === 0 },
  },
  on: { 'process.backgrounded': { actions: ({ event }) => console.log(event.by, event.actorId) } },
});

const server: McpServer = createMcpServer({ supervisor, tools: [add] });
const clock = createVirtualClock();
export const scripted = createSupervisor({ backend: createScriptedBackend(), clock });
export const rest = [first, status, lines, server, coveringPaths, initialTransition, runAgent, startGroup, waitFor];
`;
