import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { toErrorText } from '../config/error-text.ts';
import type { Ask } from '../policy/authorize.ts';
import { neutraliseMarkup, toAnswerText, toPlainAnswer } from '../tools/answer-text.ts';
import { describeUnknownTool } from '../tools/call-tool.ts';
import type { Tool, ToolAnswer } from '../tools/tool.ts';
import { createClientQuestion } from './ask-client.ts';
import { createCallProgress } from './call-progress.ts';
import type { McpClient } from './mcp-client.ts';

/**
 * Makes one call of a tool. A failure of the call is an answer; an unknown tool is an error of the protocol.
 * A client that cancels the call, or disconnects, ends only the waiting.
 */
export async function answerCall(
  { params }: CallToolRequest,
  {
    client,
    server,
    era,
    context,
  }: { client: McpClient; server: Server; era: 'legacy' | 'modern'; context: ServerContext },
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: input = {} } = params;
  const tool = client.tools.find((each) => each.name === name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name, client.tools));
  }

  const found = await client.findPlace(context, { server, era });
  if (found.type === 'asked') return found.result;
  const { signal } = context.mcpReq;
  const progress = waits(tool, input) ? toProgress(context, client) : null;
  const question = createClientQuestion(context, server);
  try {
    const { host, log } = await client.processes.open(found.place);
    const call = await host.call(
      { id: String(context.mcpReq.id), name, input },
      {
        signal,
        ask: nameAgent(question.ask, found.place.name),
        onProcess: (handle) => progress?.follow(handle),
      },
    );
    const { answer } = call;
    const needed = question.toInputRequired();
    if (needed !== null || signal.aborted) {
      call.dropped();
      log.callEnded();
      return needed ?? toResult(answer, null);
    }
    call.recorded();
    log.delivered(answer.reveals ?? []);
    const notice = host.take();
    if (notice !== null) host.delivered(notice.ids);
    log.callEnded();
    return toResult(answer, notice?.text ?? null);
  } catch (error) {
    return toResult({ ok: false, error: toErrorText(error) }, null);
  } finally {
    progress?.stop();
  }
}

/** Names the client as the agent that asks, where it has told its name. */
function nameAgent(ask: Ask | null, agent: string | null): Ask | null {
  if (ask === null || agent === null) return ask;
  return (question, signal) => ask({ ...question, agent }, signal);
}

function waits(tool: Tool, input: unknown): boolean {
  const prepared = tool.prepare(input);
  return prepared.ok && (prepared.intent.waits === true || prepared.intent.permission === 'start');
}

function toProgress({ mcpReq }: ServerContext, { timing, onError }: McpClient) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  return createCallProgress(
    (report) => {
      const params = { progressToken, ...report };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(onError);
    },
    { everyMs: timing.growth },
  );
}

/** Returns the answer as data, and as text for clients that show nothing else. */
function toResult(answer: ToolAnswer, notice: string | null): CallToolResult {
  const isPlain = !answer.ok && answer.data === undefined;
  const text = isPlain ? neutraliseMarkup(answer.error) : toAnswerText(answer);
  const said = toPlainAnswer(answer);
  return {
    content: [text, ...(notice === null ? [] : [notice])].map((each) => ({ type: 'text', text: each })),
    structuredContent: { ...said, ...(notice !== null && { notice }) },
    ...(!answer.ok && { isError: true }),
  };
}
