import { resolve } from 'node:path';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createReachableSupervisor } from '../control/reachable-supervisor.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { createConversation } from '../conversation/create-conversation.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { createPolicy } from '../policy/create-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { toPolicyText } from '../policy/policy-text.ts';
import { toPolicy } from '../policy/to-policy.ts';
import { createToolFilter } from '../policy/tool-filter.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Tool } from '../tools/tool.ts';
import { toolSets } from '../tools/tool-sets.ts';
import type { Agent, AgentOptions, AgentResult } from './agent.ts';
import { toConversationOptions, toMaxDepth, toPolicyOptions, toSupervisorOptions } from './agent-settings.ts';
import { toAskText } from './ask-parent.ts';
import { chooseModel } from './choose-model.ts';
import type { InProcessDelegation } from './delegation-deps.ts';
import { createDelegationTools } from './delegation-tools.ts';
import { canStartAgent, describeRefusedDepth, MAX_DEPTH_VARIABLE, readDepth } from './depth-limit.ts';
import { POLICY_VARIABLE, readInheritedPolicy } from './inherited-policy.ts';
import { loadAgent } from './load-agent.ts';
import { loadToolModules } from './load-tool-modules.ts';
import { checkDefinition } from './parse-agent-file.ts';
import { scopeSupervisor } from './scope-supervisor.ts';

/** Options of a delegate in this program. */
type DelegateOptions = AgentOptions & Pick<InProcessDelegation, 'id' | 'task' | 'context' | 'signal'>;

/**
 * Assembles an agent from its definition. `runDelegate` runs a delegate in this program.
 *
 * @throws TroupeError `invalid-option`; `unknown-agent` and `invalid-agent-file` of a delegate; `delegation-depth`.
 */
export async function assembleAgent(
  options: AgentOptions,
  { runDelegate }: { runDelegate: (options: DelegateOptions) => Promise<AgentResult> },
): Promise<Agent> {
  const definition = check(options.definition);
  const { model, env = process.env } = options;
  const directory = resolve(options.directory);
  const told = readDepth({ depth: options.depth, maxDepth: options.maxDepth, env });
  if (!told.ok) throw new TroupeError({ code: 'invalid-option', message: `createAgent: ${told.error}` });
  const { depth } = told;
  const maxDepth = toMaxDepth(definition, told.maxDepth);
  if (!canStartAgent(depth, maxDepth)) {
    throw new TroupeError({ code: 'delegation-depth', message: describeRefusedDepth(maxDepth) });
  }
  const delegates = await Promise.all(
    (definition.delegates ?? []).map((name) => loadAgent(name, { directory })),
  );
  const restrictions = toPolicyOptions(definition, { directory });
  const inherited =
    options.inherited === undefined
      ? readInheritedPolicy(env)
      : toPolicy(options.inherited, { workspace: directory }).policy;
  const policy = inherited?.narrow(restrictions) ?? createPolicy(restrictions);
  const supervisor = toSupervisor({ definition, options, directory, depth, maxDepth, policy });

  const runInProcess = async ({ definition: delegate, onCall, ...work }: InProcessDelegation) => {
    const chosen = chooseDelegateModel(delegate, { modelOf: options.modelOf, env, depth: depth + 1 });
    if (!chosen.ok) return chosen;
    return runDelegate({
      ...work,
      definition: delegate,
      directory,
      model: chosen.model,
      depth: depth + 1,
      maxDepth,
      inherited: policy,
      supervisor,
      env,
      ...pickShared(options),
      onEvent: (event) => {
        if (event.type === 'tool.called') onCall(event.call.name);
      },
    });
  };
  const delegationTools = createDelegationTools({
    definition,
    delegates,
    directory,
    depth,
    maxDepth,
    env,
    execCommand: options.execCommand,
    asks: options.ask === undefined ? null : toAskText(supervisor),
    isNested: options.supervisor !== undefined && options.parent !== undefined,
    transcript: () => conversation?.transcript ?? [],
    runInProcess,
  });
  const hasTool = createToolFilter(definition.tools ?? {});
  const closing = new AbortController();
  const end = async () => {
    await conversation?.close();
    closing.abort(new Error(`The agent ${quote(definition.name)} was closed.`));
    await policy.close();
    if (options.supervisor === undefined) await supervisor.shutdown();
  };
  let conversation: Conversation | null = null;
  try {
    const tools = [
      ...toolSets[definition.tools?.set ?? 'process'],
      ...delegationTools,
      ...(options.tools ?? []),
      ...(await loadToolModules(definition, { directory, signal: closing.signal })),
    ];
    checkToolNames(definition, tools);
    conversation = createConversation({
      ...toConversationOptions(options.supervisor === undefined ? definition : withoutSecrets(definition)),
      ...pickOwn(options),
      agent: definition.name,
      supervisor,
      model,
      policy,
      tools: tools.filter(({ name }) => hasTool(name)),
    });
  } catch (error) {
    await end();
    throw error;
  }
  let ending: Promise<void> | null = null;
  const close = () => {
    ending ??= end();
    return ending;
  };
  return { definition, conversation, supervisor, close, [Symbol.asyncDispose]: close };
}

/** Removes the secrets: the supervisor of the agent above only knows its own. */
function withoutSecrets({ secrets: _, ...definition }: AgentDefinition): AgentDefinition {
  return definition;
}

/**
 * Validates tool names: a misspelt prohibition would have no effect, and of two tools with one name a model could call only one.
 *
 * @throws TroupeError `invalid-agent-file`, with the nearest name. Patterns may match nothing.
 */
function checkToolNames({ name: agent, tools: filter }: AgentDefinition, tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    const message = `The agent ${quote(agent)} has two tools with the name ${quote(twice)}. Rename one; "fromMcpClient" and "fromAiSdkTools" have an option "prefix".`;
    throw new TroupeError({ code: 'invalid-agent-file', message });
  }
  for (const list of ['allow', 'deny'] as const) {
    const unknown = filter?.[list]?.find((name) => /^\w+$/.test(name) && !names.includes(name));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, names);
    const hint = meant === null ? `Its tools: ${names.join(', ')}.` : `Did you mean ${quote(meant)}?`;
    const message = `The agent ${quote(agent)} has no tool ${quote(unknown)}, which its "tools.${list}" names. ${hint}`;
    throw new TroupeError({ code: 'invalid-agent-file', message });
  }
}

/** Returns the options shared by every agent of this program. */
function pickShared({
  ask,
  modelOf,
  host,
  execCommand,
}: AgentOptions): Pick<AgentOptions, 'ask' | 'modelOf' | 'host' | 'execCommand'> {
  return {
    ...(ask !== undefined && { ask }),
    ...(modelOf !== undefined && { modelOf }),
    ...(host !== undefined && { host }),
    ...(execCommand !== undefined && { execCommand }),
  };
}

/** Returns the options of this conversation alone. */
function pickOwn({ id, ask, journal, parent, compact, onEvent, host }: AgentOptions) {
  return {
    ...(id !== undefined && { id }),
    ...(ask !== undefined && { ask }),
    ...(journal !== undefined && { journal }),
    ...(parent !== undefined && { parent }),
    ...(compact !== undefined && { compact }),
    ...(onEvent !== undefined && { onEvent }),
    ...(host?.clock !== undefined && { clock: host.clock }),
  };
}

/** Validates the definition: one from code was not checked before. */
function check(given: AgentDefinition): AgentDefinition {
  const checked = checkDefinition(given);
  if (checked.ok) return checked.value;
  const message = checked.problems.map(({ text }) => `definition: ${text}`).join('\n');
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Chooses the model of a delegate. A delegate without a model does nothing and answers so. */
function chooseDelegateModel(
  delegate: AgentDefinition,
  {
    modelOf,
    ...place
  }: { modelOf: AgentOptions['modelOf'] | undefined; env: AgentOptions['env'] & {}; depth: number },
): { readonly ok: true; readonly model: ChatModel } | { readonly ok: false; readonly error: string } {
  try {
    return { ok: true, model: modelOf?.(delegate) ?? chooseModel(delegate, place).model };
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

/** Creates its supervisor, or scopes the one of the agent above. */
function toSupervisor(given: {
  definition: AgentDefinition;
  options: AgentOptions;
  directory: string;
  depth: number;
  maxDepth: number;
  policy: Policy;
}): Supervisor {
  const { definition, options, directory, maxDepth, policy } = given;
  const depth = given.depth + 1;
  const env = { [MAX_DEPTH_VARIABLE]: String(maxDepth), [POLICY_VARIABLE]: toPolicyText(policy) };
  if (options.supervisor !== undefined)
    return scopeSupervisor(options.supervisor, { definition, depth, env });
  const own = toSupervisorOptions(definition);
  return createReachableSupervisor(
    {
      ...own,
      ...options.host,
      ...(options.askSecret !== undefined && { askSecret: options.askSecret }),
      cwd: directory,
      depth,
      env: { ...own.env, ...env },
    },
    { ask: options.ask ?? null },
  );
}
