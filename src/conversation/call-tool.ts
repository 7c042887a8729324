import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import type { ToolCall } from '../models/chat-model.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tools/tool.ts';
import { orAborted } from './or-aborted.ts';

/** Makes one call. Never rejects: broken arguments, unknown tools and aborted calls are answers, too. */
export async function callTool(
  call: ToolCall,
  wiring: { tools: readonly Tool[]; context: ToolContext; signal: AbortSignal },
): Promise<ToolAnswer> {
  const { tools, context, signal } = wiring;
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return unknownTool(call.name, tools);
  let input: unknown;
  try {
    input = JSON.parse(call.argumentsText.trim() || '{}');
  } catch (error) {
    return {
      ok: false,
      error: `The arguments of ${call.name} are no JSON: ${toErrorText(error)}. Send one object.`,
    };
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { ok: false, error: `The arguments of ${call.name} must be one JSON object.` };
  }
  try {
    return await orAborted(tool.execute(input, context), signal);
  } catch (error) {
    if (signal.aborted)
      return { ok: false, error: 'The conversation was closed before there was an answer.' };
    return { ok: false, error: toErrorText(error) };
  }
}

function unknownTool(name: string, tools: readonly Tool[]): ToolAnswer {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return { ok: false, error: `There is no tool ${JSON.stringify(name.slice(0, 64))}. ${hint}` };
}
