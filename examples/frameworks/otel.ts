/** Prints a span for each turn, tool call and process of a conversation, and the metrics of its supervisor. */
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createConversation, createScriptedModel, createSupervisor } from 'troupe';
import { sendTelemetry } from 'troupe/otel';

const tracers = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
});
const reader = new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() });
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
api.trace.setGlobalTracerProvider(tracers);
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

const supervisor = createSupervisor({ stateDirectory: false });
const model = createScriptedModel([
  { calls: [{ name: 'run_command', arguments: { command: 'echo built' } }] },
  { text: 'It is built.' },
]);
const conversation = createConversation({ supervisor, model, policy: { mode: 'auto' } });
const telemetry = sendTelemetry(api, { supervisor, conversations: [conversation] });

await conversation.say('Build.');
await conversation.close();
await supervisor.shutdown();
telemetry.unsubscribe();
await reader.shutdown();
