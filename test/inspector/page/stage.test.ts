import { describe, expect, test } from 'vitest';
import { move, toPercent, toTicks, zoom } from '../../../src/inspector/page/axis.ts';
import { toMoments, toStage } from '../../../src/inspector/page/stage.ts';
import type { ChatMessage } from '../../../src/models/chat-model.ts';
import type { ProcessView } from '../../../src/process/process-view.ts';
import type { TimelineEntry } from '../../../src/process/timeline.ts';
import { endedView, processView } from '../../cli/process-views.ts';

const owner = 'assistant_22222222';

/** Creates an agent that starts a build. The build moves to the background and fails, and a notice reports the failure. */
function arrange() {
  const view = {
    ...endedView({ id: 'tool_aaaaaaa1', label: 'build' }),
    ...{ owner, createdAt: 1_000, endedAt: 9_000 },
    backgroundedAt: 3_000,
    status: 'failed',
  } as ProcessView;
  const timeline: TimelineEntry[] = [
    { type: 'process.created', at: 1_000 },
    { type: 'process.started', at: 1_100 },
    { type: 'process.backgrounded', at: 3_000, by: 'supervisor' },
    { type: 'process.silent', at: 5_000 },
    { type: 'process.ended', at: 9_000, detail: 'failed' },
  ];
  const transcript: ChatMessage[] = [
    { role: 'user', at: 800, text: 'Build it.' },
    {
      role: 'assistant',
      at: 900,
      text: '',
      toolCalls: [{ id: 'call_1', name: 'run_command', argumentsText: '{}' }],
    },
    { role: 'tool', at: 3_000, callId: 'call_1', name: 'run_command', text: 'still running' },
    { role: 'assistant', at: 3_500, text: 'It runs.', toolCalls: [] },
    { role: 'notice', at: 9_100, completionIds: ['tool_aaaaaaa1/1/ended'], text: 'it failed' },
    { role: 'assistant', at: 9_900, text: 'It failed.', toolCalls: [] },
  ];
  return {
    processes: [view],
    timelines: { [view.id]: timeline },
    conversations: { [owner]: { id: owner, status: 'idle' as const, transcript, writing: '', inbox: [] } },
  };
}

describe('the stage', () => {
  test('has a lane of states for each process, and of turns for each agent', () => {
    const { rows, from } = toStage(arrange(), 10_000);

    expect(from).toBe(800);
    expect(rows.map(({ type, id }) => [type, id])).toEqual([
      ['owner', owner],
      ['process', 'tool_aaaaaaa1'],
    ]);
    expect(rows[0]?.spans.map(({ from: begin, to }) => [begin, to])).toEqual([
      [800, 3_500],
      [9_100, 9_900],
    ]);
    expect(rows[1]?.spans).toEqual([
      { state: 'pending', from: 1_000, to: 1_100 },
      { state: 'running', from: 1_100, to: 3_000 },
      { state: 'backgrounded', from: 3_000, to: 9_000 },
    ]);
    expect(rows[1]).toMatchObject({
      status: 'failed',
      endedAt: 9_000,
      marks: [{ type: 'silent', at: 5_000 }],
    });
  });

  test('keeps rows of one millisecond in their places when one of them ends', () => {
    const views = ['tool_aaaaaaa1', 'tool_bbbbbbb2'].map((id, index) => ({
      ...processView({ id }),
      ...{ owner: `agent-${index}`, createdAt: 1_000 },
    }));
    const toIds = (processes: readonly ProcessView[]) =>
      toStage({ processes, timelines: {}, conversations: {} }, 2_000).rows.map(({ id }) => id);

    // A supervisor lists ended processes after live ones.
    expect(toIds(views.toReversed())).toEqual(toIds(views));
    expect(toIds(views)).toEqual(['agent-0', 'tool_aaaaaaa1', 'agent-1', 'tool_bbbbbbb2']);
  });

  test('joins a turn with what it started, and an end with the notice of it', () => {
    expect(toStage(arrange(), 10_000).arrows).toMatchObject([
      { type: 'started', from: 900, to: 1_000 },
      { type: 'notified', from: 9_000, to: 9_100 },
    ]);
  });

  test('shows an earlier moment as it was then', () => {
    const { rows, arrows } = toStage(arrange(), 2_000);

    expect(rows[1]).toMatchObject({ status: 'running', endedAt: null, marks: [] });
    expect(rows[1]?.spans.at(-1)).toEqual({ state: 'running', from: 1_100, to: null });
    expect(rows[0]).toMatchObject({ live: 1, ended: 0, failed: 0 });
    expect(arrows.map(({ type }) => type)).toEqual(['started']);
    expect(toStage(arrange(), 950).rows.map(({ type }) => type)).toEqual(['owner']);
  });

  test('shows what fits the filter, with its owner', () => {
    const source = arrange();
    const other = { ...processView({ id: 'tool_bbbbbbb2', label: 'web' }), owner: 'shell', createdAt: 2_000 };
    const both = { ...source, processes: [...source.processes, other] };
    const ids = (filter: { text: string; hidesEnded: boolean }) =>
      toStage(both, 10_000, filter).rows.map(({ id }) => id);

    expect(ids({ text: 'WEB', hidesEnded: false })).toEqual(['shell', 'tool_bbbbbbb2']);
    expect(ids({ text: 'failed build', hidesEnded: false })).toEqual([owner, 'tool_aaaaaaa1']);
    expect(ids({ text: '', hidesEnded: true })).toEqual(['shell', 'tool_bbbbbbb2']);
    expect(ids({ text: 'nothing like it', hidesEnded: false })).toEqual([]);
  });

  const row = (id: string, more: Partial<ProcessView>) =>
    ({ ...processView({ id }), owner: 'shell', createdAt: 2_000, ...more }) as ProcessView;
  const draw = (rows: readonly { readonly type: string; readonly id: string; readonly level: number }[]) =>
    rows.map(({ type, id, level }) => `${'  '.repeat(level - 1)}${type} ${id}`);

  test('has supervisors above owners, and what an agent started below its process', () => {
    const source = arrange();
    const agent = row('agent_ccccccc3', { kind: 'agent', owner, createdAt: 3_000 });
    const inner = row('tool_ddddddd4', { owner: agent.id, createdAt: 4_000 });
    const web = row('tool_bbbbbbb2', {});
    const state = {
      ...source,
      processes: [...source.processes, agent, inner, web],
      supervisors: {
        tool_aaaaaaa1: 'sup_one',
        agent_ccccccc3: 'sup_one',
        tool_ddddddd4: 'sup_two',
        tool_bbbbbbb2: 'sup_three',
      },
    };

    expect(draw(toStage(state, 10_000).rows)).toEqual([
      'supervisor sup_one',
      `  owner ${owner}`,
      '    process tool_aaaaaaa1',
      '    process agent_ccccccc3',
      '      process tool_ddddddd4',
      'supervisor sup_three',
      '  owner shell',
      '    process tool_bbbbbbb2',
    ]);
    const found = toStage(state, 10_000, { text: 'tool_ddddddd4', hidesEnded: false });
    expect(draw(found.rows)).toEqual([
      'supervisor sup_one',
      `  owner ${owner}`,
      '    process agent_ccccccc3',
      '      process tool_ddddddd4',
    ]);
  });

  test('shows the conversation of an agent below its process where it is known', () => {
    const agent = row('agent_ccccccc3', { kind: 'agent' });
    const inner = row('tool_ddddddd4', { owner: agent.id });
    const talk = { id: agent.id, status: 'idle' as const, transcript: [], writing: '', inbox: [] };
    const state = { processes: [agent, inner], timelines: {}, conversations: { [agent.id]: talk } };

    expect(draw(toStage(state, 10_000).rows)).toEqual([
      'owner shell',
      '  process agent_ccccccc3',
      '    owner agent_ccccccc3',
      '      process tool_ddddddd4',
    ]);
  });

  test('puts supervisors without a live process into one row', () => {
    const ended = (id: string) =>
      ({ ...endedView({ id }), owner: 'shell', createdAt: 1_000, endedAt: 2_000 }) as ProcessView;
    const state = {
      processes: [ended('tool_aaaaaaa1'), ended('tool_bbbbbbb2'), row('tool_ccccccc3', {})],
      timelines: {},
      conversations: {},
      supervisors: { tool_aaaaaaa1: 'sup_one', tool_bbbbbbb2: 'sup_two', tool_ccccccc3: 'sup_three' },
    };

    const { rows } = toStage(state, 10_000);

    expect(draw(rows)).toEqual([
      'supervisor sup_three',
      '  owner shell',
      '    process tool_ccccccc3',
      'supervisor sup_one',
      '  owner shell',
      '    process tool_aaaaaaa1',
      '    process tool_bbbbbbb2',
    ]);
    expect(rows[3]).toMatchObject({ supervisors: 2, live: 0, ended: 2 });
  });

  test('gives each row of an owner with several supervisors a key of its own', () => {
    const state = {
      processes: [row('tool_aaaaaaa1', {}), row('tool_bbbbbbb2', {})],
      timelines: {},
      conversations: {},
      supervisors: { tool_aaaaaaa1: 'sup_one', tool_bbbbbbb2: 'sup_two' },
    };
    const keys = toStage(state, 10_000).rows.map(({ key }) => key);
    expect(keys).toHaveLength(6);
    expect(new Set(keys).size).toBe(6);
  });

  test('loses no process whose owners are below each other', () => {
    const state = {
      processes: [row('own-a', { owner: 'own-b' }), row('own-b', { owner: 'own-a' })],
      timelines: {},
      conversations: {},
    };
    expect(
      toStage(state, 10_000)
        .rows.filter(({ type }) => type === 'process')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['own-a', 'own-b']);
  });

  test('stops a walk through time at each event once', () => {
    expect(toMoments(arrange())).toEqual([800, 900, 1_000, 1_100, 3_000, 3_500, 5_000, 9_000, 9_100, 9_900]);
  });
});

describe('the axis', () => {
  test('zooms around a time, which keeps its place', () => {
    const zoomed = zoom({ from: 0, to: 1_000 }, { around: 250, factor: 0.5 });

    expect(zoomed).toEqual({ from: 125, to: 625 });
    expect(toPercent(250, zoomed)).toBe(toPercent(250, { from: 0, to: 1_000 }));
    expect(move(zoomed, 100)).toEqual({ from: 225, to: 725 });
  });

  test('has ticks at round times, never more than asked for', () => {
    for (const length of [40, 999, 60_000, 3_600_000, 86_400_000 * 20]) {
      const { times, stepMs } = toTicks({ from: 1_700_000_000_123, to: 1_700_000_000_123 + length }, 7);
      expect(times.length).toBeLessThanOrEqual(8);
      expect(
        new Set(times.slice(1).map((time, index) => time - (times[index] ?? 0))).size,
      ).toBeLessThanOrEqual(1);
      expect(stepMs).toBeGreaterThan(0);
    }
  });
});
