import { join } from 'node:path';
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { execa } from 'execa';
import { createConversation, createScriptedModel, createSupervisor } from 'troupe';
import { sendTelemetry } from 'troupe/otel';
import { beforeAll, beforeEach, expect, test } from 'vitest';

const spans = new InMemorySpanExporter();
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });

beforeAll(() => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});

beforeEach(() => spans.reset());

const called = (name: string): ReadableSpan => {
  const found = spans.getFinishedSpans().find((span) => span.name === name);
  if (found === undefined) throw new Error(`There is no span ${name}.`);
  return found;
};

const parentOf = (span: ReadableSpan) =>
  spans.getFinishedSpans().find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId)?.name;

test('a process has a span with its end, below the active span', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });
  const telemetry = sendTelemetry(api, { supervisor });

  await api.trace.getTracer('app').startActiveSpan('deploy', async (deploy) => {
    await supervisor.execute({ command: 'echo hi; exit 3', label: 'build' });
    deploy.end();
  });
  await supervisor.shutdown();
  telemetry.unsubscribe();

  const span = called('process build');
  expect(parentOf(span)).toBe('deploy');
  expect(span.status).toMatchObject({ code: api.SpanStatusCode.ERROR, message: 'exited with code 3' });
  expect(span.attributes).toMatchObject({
    'process.command_line': 'echo hi; exit 3',
    'process.exit.code': 3,
    'troupe.process.status': 'failed',
    'troupe.output.bytes': 3,
  });
  expect(span.events.map(({ name }) => name)).toContain('process.started');
});

test('turn, tool call and process are nested', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });
  const model = createScriptedModel([
    { calls: [{ name: 'run_command', arguments: { command: 'echo built' } }] },
    { text: 'Done.' },
  ]);
  const conversation = createConversation({ supervisor, model, policy: { mode: 'auto' } });
  const telemetry = sendTelemetry(api, { supervisor, conversations: [conversation] });

  await conversation.say('Build.');
  await conversation.close();
  await supervisor.shutdown();
  telemetry.unsubscribe();

  const tool = called('execute_tool run_command');
  expect(parentOf(called('process echo'))).toBe(tool.name);
  expect(parentOf(tool)).toBe('invoke_agent');
  expect(called('invoke_agent').attributes['troupe.turn.outcome']).toBe('answered');
});

test('processes of parallel calls of one tool are children of their calls', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });
  const call = (command: string) => ({ name: 'run_command', arguments: { command } });
  const model = createScriptedModel([{ calls: [call('echo a'), call('printf b')] }, { text: 'Done.' }]);
  const conversation = createConversation({ supervisor, model, policy: { mode: 'auto' } });
  const telemetry = sendTelemetry(api, { supervisor, conversations: [conversation] });

  await conversation.say('Build.');
  await conversation.close();
  await supervisor.shutdown();
  telemetry.unsubscribe();

  const callOf = (name: string) => called(name).parentSpanContext?.spanId;
  const tools = spans.getFinishedSpans().filter(({ name }) => name === 'execute_tool run_command');
  expect(tools.map((span) => span.spanContext().spanId).sort()).toEqual(
    [callOf('process echo'), callOf('process printf')].sort(),
  );
});

test('ends, run times, output and live processes are measured', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });
  const telemetry = sendTelemetry(api, { supervisor });
  await supervisor.execute({ command: ['printf', 'four'], label: 'short' });
  supervisor.start({ command: ['sleep', '60'], background: true });

  await reader.forceFlush();
  const scopes = metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
  const points = scopes.flatMap(({ metrics }) =>
    metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints] as const),
  );
  await supervisor.shutdown();
  telemetry.unsubscribe();

  const measured = (name: string, status: string) =>
    Object.fromEntries(points)[name]?.find(({ attributes }) => attributes['status'] === status)?.value;
  expect(measured('troupe.processes.ended', 'completed')).toBeGreaterThan(0);
  expect(measured('troupe.output', 'completed')).toBeGreaterThanOrEqual(4);
  expect(measured('troupe.process.duration', 'completed')).toMatchObject({ count: expect.any(Number) });
  expect(measured('troupe.processes.live', 'backgrounded')).toBe(1);
});

test('the example prints the spans of a turn', async () => {
  const { stdout, stderr } = await execa(process.execPath, [join(import.meta.dirname, 'example.ts')]);

  expect(stderr).toBe('');
  for (const name of ['invoke_agent', 'execute_tool run_command', 'process echo', 'troupe.processes.ended'])
    expect(stdout).toContain(`'${name}'`);
});
