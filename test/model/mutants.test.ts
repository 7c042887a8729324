import { expect, test, vi } from 'vitest';
import { conversationMachine } from '../../machines/conversation/machine.ts';
import { processMachine } from '../../machines/process/machine.ts';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { coveringPaths, transitionsTaken } from '../../src/testing/paths/covering-paths.ts';
import { type ConversationWay, conversationModel, conversationWays } from './conversation-model.ts';
import { openConversationStage } from './conversation-stage.ts';
import { withoutTransition, withTarget } from './mutate-chart.ts';
import { type ProcessWay, processModel, processWays } from './process-model.ts';
import { supervisorInput, supervisorModel, supervisorPaths } from './supervisor-model.ts';
import { walkConversation } from './walk-conversation.ts';
import { walkProcess } from './walk-process.ts';
import { walkSupervisor } from './walk-supervisor.ts';

const ways = processWays();

test('a retargeted transition is detected', async () => {
  const id = 'process.pending.queued · process.stop · 1';
  const chart = withTarget(processMachine, { id, target: '#process.failed' });
  const way = ways.find((each) => idsTaken(each).has(id));

  const mismatch = way && (await walkProcess({ ...way, on: 'scripts', chart }));

  expect(mismatch).toContain('value: expected "killed", is "failed"');
});

test('a process without any one transition is detected', { timeout: 120_000 }, async () => {
  const few = coveringPaths<typeof processModel, ProcessWay>(processModel, ways);
  const taken = new Map(few.map((way) => [way, idsTaken(way)]));
  const { all } = createChartCoverage(processMachine).transitions;

  const unnoticed: string[] = [];
  for (const id of all) {
    const chart = withoutTransition(processMachine, id);
    const [, eventType = ''] = id.split(' · ');
    const likely = few.filter((way) => taken.get(way)?.has(id));
    const others = ways
      .filter(({ path }) => path.some(({ event }) => event.type === eventType))
      .slice(0, 300);
    if (!(await isFoundOut([...likely, ...few, ...others], chart))) unnoticed.push(id);
  }

  expect(unnoticed).toEqual([]);
});

test('a supervisor without any one transition is detected', { timeout: 60_000 }, async () => {
  const paths = supervisorPaths();
  const { all } = createChartCoverage(supervisorMachine).transitions;

  const unnoticed: string[] = [];
  for (const id of all) {
    const model = withoutTransition(supervisorModel, id);
    const isTaken = paths.filter((path) =>
      transitionsTaken(supervisorModel, { path, input: supervisorInput }).some((taken) => taken.id === id),
    );
    let isFound = false;
    for (const path of isTaken) isFound ||= (await walkSupervisor({ path, model })) !== null;
    if (!isFound) unnoticed.push(id);
  }

  expect(unnoticed).toEqual([]);
});

test('a conversation without any one transition is detected', { timeout: 60_000 }, async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const stage = openConversationStage();
  const shortest = conversationWays().toSorted((a, b) => a.path.length - b.path.length);
  const few = coveringPaths<typeof conversationModel, ConversationWay>(conversationModel, shortest);
  const taken = new Map(
    few.map((way) => [way, new Set(transitionsTaken(conversationModel, way).map(({ id }) => id))]),
  );
  const { all } = createChartCoverage(conversationMachine).transitions;

  const unnoticed: string[] = [];
  for (const id of all) {
    const model = withoutTransition(conversationModel, id);
    const likely = few.filter((way) => taken.get(way)?.has(id));
    let isFound = false;
    for (const way of likely) isFound ||= (await walkConversation({ ...way, stage, model })) !== null;
    if (!isFound) unnoticed.push(id);
  }

  expect(unnoticed).toEqual([]);
});

function idsTaken(way: ProcessWay): ReadonlySet<string> {
  return new Set(transitionsTaken(processModel, way).map(({ id }) => id));
}

async function isFoundOut(ways: readonly ProcessWay[], chart: typeof processMachine): Promise<boolean> {
  for (const way of ways) {
    if ((await walkProcess({ ...way, on: 'scripts', chart })) !== null) return true;
  }
  return false;
}
