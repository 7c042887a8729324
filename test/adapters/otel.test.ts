import { Subject } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { type OtelAttributes, type OtelGaugeCallback, sendTelemetry } from '../../src/adapters/otel.ts';
import type { Conversation } from '../../src/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/conversation/conversation-event.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

interface SpanRecord {
  readonly name: string;
  /** Name of the parent; `root` for none. */
  readonly parent: string;
  readonly startTime: number | undefined;
  readonly attributes: OtelAttributes;
  readonly events: (readonly [name: string, attributes: OtelAttributes, time: number])[];
  status: object | null;
  /** `open` until the end. */
  end: number | 'now' | 'open';
}

/** A telemetry API that records what it is told. A context is the name of its span. */
function createRecordingApi() {
  const spans: SpanRecord[] = [];
  const values: (readonly [name: string, value: number, attributes: OtelAttributes])[] = [];
  const metrics: (readonly [kind: string, name: string, unit: string, description: string])[] = [];
  const gauges = new Set<OtelGaugeCallback>();
  const names: string[] = [];
  type Metric = { readonly unit: string; readonly description: string };
  const note =
    (kind: string) =>
    (name: string, { unit, description }: Metric) => {
      metrics.push([kind, name, unit, description]);
      const record = (value: number, attributes: OtelAttributes) =>
        void values.push([name, value, attributes]);
      return { add: record, record };
    };
  const startSpan = (
    name: string,
    options: { startTime?: number; attributes?: OtelAttributes },
    parent: string,
  ) => {
    const attributes = { ...options.attributes };
    const span: SpanRecord = {
      ...{ name, parent, startTime: options.startTime, attributes },
      ...{ events: [], status: null, end: 'open' },
    };
    spans.push(span);
    return {
      name,
      setAttributes: (more: OtelAttributes) => Object.assign(attributes, more),
      setStatus: (status: object) => {
        span.status = status;
      },
      addEvent: (...event: [string, OtelAttributes, number]) => span.events.push(event),
      end: (time?: number) => {
        span.end = time ?? 'now';
      },
    };
  };
  const api = {
    context: { active: () => 'root' },
    trace: {
      getTracer: (name: string) => {
        names.push(`tracer ${name}`);
        return { startSpan };
      },
      setSpan: (_: string, span: { readonly name: string }) => span.name,
    },
    metrics: {
      getMeter: (name: string) => {
        names.push(`meter ${name}`);
        return {
          createCounter: note('counter'),
          createHistogram: note('histogram'),
          createObservableGauge: (name: string, metric: Metric) => {
            note('gauge')(name, metric);
            return {
              addCallback: (callback: OtelGaugeCallback) => void gauges.add(callback),
              removeCallback: (callback: OtelGaugeCallback) => void gauges.delete(callback),
            };
          },
        };
      },
    },
  } as unknown as Parameters<typeof sendTelemetry<string, ReturnType<typeof startSpan>>>[0];
  return {
    ...{ api, spans, values, metrics, names },
    observe: () => {
      const observed: (readonly [number, OtelAttributes])[] = [];
      for (const gauge of gauges)
        gauge({ observe: (value, attributes) => void observed.push([value, attributes]) });
      return observed;
    },
  };
}

/** A conversation of which only the id and the events exist. */
function createEvents(id: string) {
  const events$ = new Subject<ConversationEvent>();
  return { conversation: { id, events$ } as unknown as Conversation, events$ };
}

function arrange({ conversations = [] }: { readonly conversations?: readonly Conversation[] } = {}) {
  const rig = createVirtualHarness({ epochMs: 1_000_000, cwd: '/' });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const recording = createRecordingApi();
  const telemetry = sendTelemetry(recording.api, { supervisor: rig.supervisor, conversations });
  return { ...rig, ...recording, telemetry };
}

test('a failed process has a span with its times, its end and its events', async () => {
  const { supervisor, spans, run, pass, names } = arrange();
  await pass(500);
  const { id } = supervisor.start({ command: 'make -j 4', owner: 'ada', background: true });
  await pass(2_000);
  run(0).print('four');

  run(0).exit({ code: 3 });
  await turn(2);

  expect(spans).toEqual([
    {
      name: 'process make',
      parent: 'root',
      startTime: 1_000_500,
      attributes: {
        'process.command_line': 'make -j 4',
        'process.working_directory': '/',
        'troupe.process.id': id,
        'troupe.process.owner': 'ada',
        'troupe.process.kind': 'tool',
        'troupe.process.status': 'failed',
        'troupe.output.bytes': 4,
        'process.pid': 1,
        'process.exit.code': 3,
      },
      events: [
        ['process.created', {}, 1_000_500],
        ['process.started', {}, 1_000_500],
      ],
      status: { code: 2, message: 'exited with code 3' },
      end: 1_002_500,
    },
  ]);
  expect([...new Set(names)]).toEqual(['tracer troupe', 'meter troupe']);
});

test('a completed process has no status, and is named by its label', async () => {
  const { supervisor, spans, run } = arrange();
  supervisor.start({ command: 'make', label: 'build', background: true });
  await turn();

  run(0).exit();
  await turn(2);

  expect(spans).toMatchObject([{ name: 'process build', status: null, end: 1_000_000 }]);
  expect(spans[0]?.attributes).not.toHaveProperty(['process.exit.signal']);
});

test('a process that a signal ended has the signal and no code', async () => {
  const { supervisor, spans } = arrange();
  const handle = supervisor.start({ command: 'make', background: true });
  await turn();

  await handle.kill({ by: 'user' });

  expect(spans[0]?.attributes).toMatchObject({
    'troupe.process.status': 'killed',
    'process.exit.signal': 'SIGTERM',
  });
  expect(spans[0]?.attributes).not.toHaveProperty(['process.exit.code']);
  expect(spans[0]?.status).toEqual({ code: 2, message: 'was killed by the user with SIGTERM' });
});

test('metrics are described with their units', () => {
  expect(arrange().metrics).toEqual([
    ['counter', 'troupe.processes.ended', '{process}', 'Ended processes by status'],
    ['counter', 'troupe.output', 'By', 'Output of ended processes'],
    ['histogram', 'troupe.process.duration', 's', 'Run time of ended processes'],
    ['gauge', 'troupe.processes.live', '{process}', 'Live processes by status'],
  ]);
});

test('ends are measured in seconds and bytes, and live processes by status', async () => {
  const { supervisor, values, observe, run, pass } = arrange();
  for (const command of ['one', 'two', 'three']) supervisor.start({ command, background: true });
  void supervisor.execute({ command: 'four' });
  await pass(1_500);
  const before = observe();
  run(0).print('1234567');

  run(0).exit();
  await turn(2);

  expect(before).toEqual([
    [3, { status: 'backgrounded' }],
    [1, { status: 'running' }],
  ]);
  expect(values).toEqual([
    ['troupe.processes.ended', 1, { status: 'completed' }],
    ['troupe.process.duration', 1.5, { status: 'completed' }],
    ['troupe.output', 7, { status: 'completed' }],
  ]);
  expect(observe()).toEqual([
    [2, { status: 'backgrounded' }],
    [1, { status: 'running' }],
  ]);
});

test('telemetry sends nothing after the end of its subscription', async () => {
  const { conversation, events$ } = createEvents('chat');
  const { supervisor, telemetry, spans, values, observe, run } = arrange({ conversations: [conversation] });
  supervisor.start({ command: 'one', background: true });
  await turn();

  telemetry.unsubscribe();
  supervisor.start({ command: 'two', background: true });
  await turn();
  run(0).exit();
  events$.next({ type: 'turn.started', because: 'message' });
  await turn(2);

  expect(spans).toMatchObject([{ name: 'process one', end: 'open' }]);
  expect([values, observe()]).toEqual([[], []]);
});

const call = { id: 'call_1', name: 'run_command', argumentsText: '{}' };

test('turn, call and process are nested, and each ends with its outcome', async () => {
  const { conversation, events$ } = createEvents('chat');
  const { supervisor, spans } = arrange({ conversations: [conversation] });
  const start = (command: string, callId?: string) =>
    supervisor.start({ command, owner: 'chat', background: true, ...(callId && { callId }) });

  start('before');
  events$.next({ type: 'turn.started', because: 'message' });
  start('inTurn');
  events$.next({ type: 'tool.called', call });
  start('inCall', 'call_1');
  start('inOtherCall', 'call_0');
  supervisor.start({ command: 'ofOther', owner: 'other', background: true });
  events$.next({ type: 'tool.answered', call, answer: { ok: false, error: 'It is broken.' } });
  start('late', 'call_1');
  events$.next({ type: 'model.failed', error: 'Busy.', attempt: 2, inMs: 5 });
  events$.next({ type: 'turn.ended', outcome: { type: 'failed', error: 'Gone.' } });
  start('after');
  await turn();

  expect(spans.map(({ name, parent }) => `${parent} > ${name}`)).toEqual([
    'root > process before',
    'root > invoke_agent',
    'invoke_agent > process inTurn',
    'invoke_agent > execute_tool run_command',
    'execute_tool run_command > process inCall',
    'invoke_agent > process inOtherCall',
    'root > process ofOther',
    'invoke_agent > process late',
    'root > process after',
  ]);
  expect(spans[1]).toEqual({
    name: 'invoke_agent',
    parent: 'root',
    startTime: undefined,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'chat',
      'troupe.turn.because': 'message',
      'troupe.turn.outcome': 'failed',
    },
    events: [['model.failed', { error: 'Busy.', attempt: 2 }, expect.any(Number)]],
    status: { code: 2, message: 'Gone.' },
    end: 'now',
  });
  expect(spans[3]).toMatchObject({
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'run_command',
      'gen_ai.tool.call.id': 'call_1',
    },
    status: { code: 2, message: 'It is broken.' },
    end: 'now',
  });
});

test('a conversation that is watched later is traced without errors', async () => {
  const { conversation, events$ } = createEvents('chat');
  const { telemetry, spans } = arrange();

  telemetry.watch(conversation);
  events$.next({ type: 'tool.called', call });
  events$.next({ type: 'tool.answered', call, answer: { ok: true, data: null } });
  events$.next({ type: 'tool.answered', call, answer: { ok: false, error: 'Twice.' } });
  events$.next({ type: 'model.failed', error: 'Busy.', attempt: 1, inMs: 5 });
  events$.next({ type: 'turn.ended', outcome: { type: 'answered', text: 'Late.' } });
  events$.next({ type: 'turn.started', because: 'notice' });
  events$.next({ type: 'turn.ended', outcome: { type: 'answered', text: 'Done.' } });

  expect(spans).toMatchObject([
    { name: 'execute_tool run_command', parent: 'root', status: null, end: 'now' },
    { name: 'invoke_agent', attributes: { 'troupe.turn.outcome': 'answered' }, status: null, end: 'now' },
  ]);
});
