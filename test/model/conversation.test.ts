import { beforeEach, expect, test, vi } from 'vitest';
import { conversationMachine } from '../../machines/conversation/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { conversationWays } from './conversation-model.ts';
import { openConversationStage } from './conversation-stage.ts';
import { findGaps, toCoverageTable } from './coverage-table.ts';
import { walkConversation } from './walk-conversation.ts';

/** A supervisor keeps every ended process and every unread mailbox, and each later end looks through them. */
const WALKS_PER_STAGE = 100;

// Effects break on many paths, and each break is a warning.
beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));

test('a conversation takes every transition of its chart', { timeout: 300_000 }, async () => {
  let stage = openConversationStage();
  const coverage = createChartCoverage(conversationMachine);
  const ways = conversationWays();

  const mismatches: string[] = [];
  for (const [index, way] of ways.entries()) {
    if (index % WALKS_PER_STAGE === 0) stage = openConversationStage();
    const mismatch = await walkConversation({ ...way, stage, inspect: coverage.inspect });
    if (mismatch !== null) mismatches.push(mismatch);
  }

  console.log(toCoverageTable('conversation on scripts', { coverage, paths: ways.length }));
  expect(mismatches.length, mismatches.slice(0, 5).join('\n\n')).toBe(0);
  expect(findGaps(coverage)).toEqual([]);
});
