import { z } from 'zod';
import { toAnswerText } from '../../src/tools/answer-text.ts';
import type { ToolRequest } from '../../src/tools/call-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { ToolAnswer } from '../../src/tools/tool.ts';
import type { ToolCallOptions, ToolDecision, ToolHost } from '../../src/tools/tool-host.ts';

/** Ids of the completions of a notice, whose text is `noticeText`. */
type Ids = readonly string[];

export const noticeText = '<process_notice>It ended.</process_notice>';

export const question = {
  question: 'May it build?',
  always: 'every build',
} as never;

/** A call as the host got it; `consent` is what its `ask` answers, `none` without one. */
export interface HostCall {
  readonly request: ToolRequest;
  readonly signal: AbortSignal | undefined;
  readonly consent: unknown;
}

/** A host that notes what an adapter does with it. Its only tool is `build`. */
export function createFakeHost({
  answer = { ok: true, data: { built: 2 } },
  decision = { type: 'allow' },
}: {
  readonly answer?: ToolAnswer;
  readonly decision?: ToolDecision;
} = {}) {
  const calls: HostCall[] = [];
  const judged: ToolRequest[] = [];
  const confirmed: Ids[] = [];
  let waiting: Ids | null = null;
  const host = {
    tools: [build],
    decide: async (request: ToolRequest) => {
      judged.push(request);
      return decision;
    },
    call: async (request: ToolRequest, { signal, ask }: ToolCallOptions = {}) => {
      const consent = await ask?.(question, new AbortController().signal);
      calls.push({ request, signal, consent: ask === undefined ? 'none' : consent });
      return { answer, text: toAnswerText(answer), recorded: () => {}, dropped: () => {} };
    },
    take: () => waiting && { ids: waiting, text: noticeText },
    delivered: (ids: Ids) => {
      confirmed.push(ids);
      if (ids.some((id) => waiting?.includes(id))) waiting = null;
    },
  };
  return {
    host: host as unknown as ToolHost,
    ...{ calls, judged, confirmed },
    /** A notice of these completions waits until it is confirmed. */
    wait: (...ids: string[]) => {
      waiting = ids;
    },
  };
}

export const build = defineTool({
  name: 'build',
  description: 'Builds a target.',
  input: z.strictObject({ target: z.string().min(1).describe('name of the target') }),
  execute: async () => ({ ok: true, data: null }),
});

/** The schema of the input of `build` for a model. */
export const buildSchema = {
  type: 'object',
  properties: { target: { type: 'string', description: 'name of the target' } },
  required: ['target'],
  additionalProperties: false,
};
