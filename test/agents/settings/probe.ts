import type { AgentOptions } from '../../../src/agents/agent.ts';
import { createAgent } from '../../../src/agents/create-agent.ts';
import { checkDefinition } from '../../../src/agents/parse-agent-file.ts';
import type { AgentDefinition } from '../../../src/config/agent-file-schema.ts';
import type { ToolDescription } from '../../../src/models/chat-model.ts';
import { createScriptedModel, type ScriptedStep } from '../../../src/models/scripted-model.ts';
import type { ProcessHandle } from '../../../src/process/process-handle.ts';
import { createScriptedBackend, createVirtualClock, type VirtualClock } from '../../../src/testing/index.ts';
import { waitUntil } from '../../support/os.ts';
import { openProject } from '../project.ts';

/** Probe of one setting. Runs with and without the setting; the observations must differ. */
export interface Probe {
  /** As it stands in the file. */
  readonly value: unknown;
  readonly gives: unknown;
  /** Looks at an agent from outside. */
  readonly see: (definition: AgentDefinition) => Promise<unknown>;
  /** Settings that it requires. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** A definition with some settings by their path. */
export function define(settings: Readonly<Record<string, unknown>>): AgentDefinition {
  const input: Record<string, unknown> = { name: 'probed', model: { provider: 'scripted' } };
  for (const [path, value] of Object.entries(settings)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let target = input;
    for (const key of keys) {
      target[key] ??= {};
      target = target[key] as Record<string, unknown>;
    }
    target[last] = value;
  }
  const checked = checkDefinition(input);
  if (checked.ok) return checked.value;
  throw new Error(checked.problems.map(({ text }) => text).join('\n'));
}

/** An agent whose processes are played by hand and whose time stands still. Another agent, `friend`, is in its project. */
export async function openProbed(
  definition: AgentDefinition,
  { steps = [], ...options }: Partial<AgentOptions> & { readonly steps?: readonly ScriptedStep[] } = {},
) {
  const project = openProject({ friend: 'model: scripted' });
  const clock = createVirtualClock({ epochMs: Date.now() });
  const backend = createScriptedBackend();
  let offered: readonly ToolDescription[] = [];
  const script = createScriptedModel(steps);
  const agent = await createAgent({
    definition,
    directory: project.directory,
    model: {
      name: 'scripted',
      stream: (request) => {
        offered = request.tools;
        return script.stream(request);
      },
    },
    depth: 0,
    host: { clock, backend, stateDirectory: 'state' },
    execCommand: ['troupe'],
    ...options,
  }).catch((error: unknown) => {
    project[Symbol.dispose]();
    throw error;
  });
  return {
    ...project,
    ...agent,
    clock,
    backend,
    offered: () => offered,
    async [Symbol.asyncDispose]() {
      const closed = agent.close();
      let isClosed = false;
      void closed.then(() => {
        isClosed = true;
      });
      // In small steps, because a delegate in this program needs real time to end.
      await waitUntil(() => {
        clock.advance(10);
        return isClosed;
      });
      project[Symbol.dispose]();
    },
  };
}

/** Lets everything happen that needs no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** After how many milliseconds of the clock it is so; `null` when not within an hour. */
export async function whenIs(
  condition: () => boolean,
  { clock, stepMs = 100, maxMs = 3_600_000 }: { clock: VirtualClock; stepMs?: number; maxMs?: number },
): Promise<number | null> {
  await turn();
  for (let ms = 0; ms <= maxMs; ms += stepMs) {
    if (condition()) return ms;
    clock.advance(stepMs);
    if (ms % (50 * stepMs) === 0) await turn();
  }
  return null;
}

export function hasStatus(handle: ProcessHandle, status: ProcessHandle['status']): () => boolean {
  return () => handle.status === status;
}
