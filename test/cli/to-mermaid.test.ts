import { expect, test } from 'vitest';
import type { Diagram, DiagramState, DiagramTransition } from '../../src/charts/diagram.ts';
import { toMermaid } from '../../src/cli/verbs/graph/to-mermaid.ts';

const state = (id: string, own: Partial<DiagramState> = {}): DiagramState => ({
  ...{ id, parent: '', name: id.split('.').at(-1) ?? '', kind: 'atomic', description: '' },
  ...{ entry: [], exit: [], invokes: [], initial: null },
  ...own,
});

const transition = (source: string, own: Partial<DiagramTransition> = {}): DiagramTransition => ({
  ...{
    id: 't1',
    source,
    target: null,
    event: null,
    eventType: '',
    guard: null,
    actions: [],
    description: '',
  },
  ...own,
});

const root = state('', { parent: null, kind: 'compound', initial: 'a-b' });

test('states, transitions and the end become statements', () => {
  const diagram: Diagram = {
    name: 'lamp',
    description: '',
    states: [
      root,
      state('a-b', { description: 'It waits; #1.', invokes: ['timer'], entry: ['x', 'y'], exit: ['z'] }),
      state('on', { kind: 'compound', initial: 'on.low' }),
      state('on.low', { parent: 'on' }),
      state('over', { kind: 'final' }),
    ],
    transitions: [
      transition('a-b', { event: 'push', guard: 'hasPower', actions: ['light', 'count'], target: 'on' }),
      transition('a-b', { event: 'poke' }),
      transition('on.low', { target: 'over' }),
    ],
  };

  expect(toMermaid(diagram)).toBe(`---
title: lamp
---
stateDiagram-v2
  [*] --> a_b
  state "a-b" as a_b
  a_b : It waits, 1.
  a_b : invoke timer
  a_b : entry / x, y
  a_b : exit / z
  a_b : poke
  state "on" as on {
    [*] --> on__low
    state "low" as on__low
  }
  state "over" as over
  over --> [*]
  a_b --> on : push [hasPower] / light, count
  on__low --> over
`);
});

test('a description is a note, and transitions of all inner states start at a stand-in', () => {
  const diagram: Diagram = {
    name: 'lamp',
    description: '',
    states: [
      { ...root, initial: null },
      state('on', { kind: 'compound', description: 'Light.' }),
      state('on.low', { parent: 'on' }),
    ],
    transitions: [
      transition('', { event: 'reset', actions: ['clear'] }),
      transition('on', { event: 'dim', target: 'on.low' }),
    ],
  };

  expect(toMermaid(diagram)).toBe(`---
title: lamp
---
stateDiagram-v2
  state "any state" as any_state
  any_state : reset / clear
  state "on" as on {
    state "any of on" as any_of_on
    state "low" as on__low
  }
  note right of on
    Light.
  end note
  any_of_on --> on__low : dim
`);
});
