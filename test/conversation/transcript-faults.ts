import type { ChatMessage } from '../../src/models/chat-model.ts';

/**
 * What a provider would refuse of a transcript, in words; empty when nothing. `open`: the calls of the last message may
 * be under way.
 */
export function findTranscriptFaults(
  transcript: readonly ChatMessage[],
  { open = false }: { readonly open?: boolean } = {},
): readonly string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  let expected: string[] = [];

  for (const [index, message] of transcript.entries()) {
    const where = `message ${index} (${message.role})`;
    if (message.role === 'system' && index > 0) faults.push(`${where} is not the first`);
    if (message.role === 'tool') {
      const wanted = expected.shift();
      if (wanted !== message.callId)
        faults.push(`${where} answers ${message.callId} where ${wanted} is next`);
      continue;
    }
    if (expected.length > 0) faults.push(`${where} stands before the results of ${expected.join(', ')}`);
    expected = [];
    if (message.role !== 'assistant') continue;
    if (transcript[index - 1]?.role === 'assistant') faults.push(`${where} follows another one`);
    if (message.text.trim() === '' && message.toolCalls.length === 0) faults.push(`${where} says nothing`);
    expected = message.toolCalls.map(({ id }) => id);
    for (const id of expected) {
      if (known.has(id)) faults.push(`${where} calls ${id} again`);
      known.add(id);
    }
  }

  const isUnderWay = open && transcript.at(-1)?.role === 'assistant';
  if (expected.length > 0 && !isUnderWay) faults.push(`no result for ${expected.join(', ')}`);
  return faults;
}

/** The same for what a model is asked with: it must be its turn. */
export function findRequestFaults(messages: readonly ChatMessage[]): readonly string[] {
  const last = messages.at(-1)?.role ?? 'nothing';
  const isItsTurn = last === 'user' || last === 'notice' || last === 'tool';
  return [...findTranscriptFaults(messages), ...(isItsTurn ? [] : [`it is asked after ${last}`])];
}
