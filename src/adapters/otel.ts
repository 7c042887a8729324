import type { Subscription } from 'rxjs';
import type { Conversation } from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/conversation-event.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** Attributes of a span or a measurement. */
export type OtelAttributes = Record<string, string | number | boolean>;

/** Span of `@opentelemetry/api`. */
export interface OtelSpan {
  setAttributes(attributes: OtelAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  addEvent(name: string, attributes: OtelAttributes, time: number): unknown;
  end(time?: number): void;
}

/** The parts of `@opentelemetry/api` that are used; pass the module: `import * as api from '@opentelemetry/api'`. */
export interface OtelApi<Context, Span extends OtelSpan> {
  readonly context: { active(): Context };
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { startTime?: number; attributes?: OtelAttributes },
        context: Context,
      ): Span;
    };
    setSpan(context: Context, span: Span): Context;
  };
  readonly metrics: {
    getMeter(name: string): {
      createCounter(
        name: string,
        options: OtelMetric,
      ): { add(value: number, attributes: OtelAttributes): void };
      createHistogram(
        name: string,
        options: OtelMetric,
      ): { record(value: number, attributes: OtelAttributes): void };
      createObservableGauge(name: string, options: OtelMetric): OtelGauge;
    };
  };
}

/** Options of a metric. */
export interface OtelMetric {
  readonly description: string;
  readonly unit: string;
}

/** Reports the current values of a gauge. */
export type OtelGaugeCallback = (result: {
  observe(value: number, attributes: OtelAttributes): void;
}) => void;

/** Gauge that asks for its values. */
export interface OtelGauge {
  addCallback(callback: OtelGaugeCallback): void;
  removeCallback(callback: OtelGaugeCallback): void;
}

/** Sources of traces and metrics. */
export interface TelemetrySources {
  readonly supervisor: Supervisor;
  /** Turns and tool calls become the parents of the processes that they start. */
  readonly conversations?: readonly Conversation[];
}

/** Traces and metrics of a supervisor and its conversations. `unsubscribe` ends them; spans that are open then are never sent. */
export interface Telemetry {
  /** Traces another conversation. */
  watch(conversation: Conversation): void;
  unsubscribe(): void;
}

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/**
 * Sends traces and metrics to OpenTelemetry: a span for each process, turn and tool call, with the events of the process; counters of
 * ends and output, a histogram of run times, a gauge of live processes. A process is a child of the tool call that started it,
 * otherwise of the turn; without a conversation, of the span that is active when it starts.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api';
 * const telemetry = sendTelemetry(api, { supervisor, conversations: [conversation] });
 * ```
 */
export function sendTelemetry<Context, Span extends OtelSpan>(
  api: OtelApi<Context, Span>,
  { supervisor, conversations = [] }: TelemetrySources,
): Telemetry {
  const tracer = api.trace.getTracer('troupe');
  const traces = new Map<string, ConversationTrace<Context>>();
  const subscriptions: { unsubscribe(): void }[] = [
    traceProcesses(api, {
      supervisor,
      parentOf: (view) => traces.get(view.owner)?.contextOf(view) ?? api.context.active(),
    }),
    measure(api, supervisor),
  ];
  const watch = (conversation: Conversation) => {
    const trace = traceConversation({ ...api, tracer }, conversation);
    traces.set(conversation.id, trace);
    subscriptions.push(trace.subscription);
  };
  for (const conversation of conversations) watch(conversation);
  return {
    watch,
    unsubscribe: () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}

function traceProcesses<Context, Span extends OtelSpan>(
  { trace }: OtelApi<Context, Span>,
  {
    supervisor,
    parentOf,
  }: { readonly supervisor: Supervisor; readonly parentOf: (view: ProcessView) => Context },
): Subscription {
  const tracer = trace.getTracer('troupe');
  const spans = new Map<string, Span>();
  return supervisor.events$.subscribe((event) => {
    if (!('process' in event)) return;
    const { process: view, type, at } = event;
    if (type === 'process.created' || type === 'process.adopted') {
      const options = { startTime: view.createdAt, attributes: describeProcess(view) };
      spans.set(view.id, tracer.startSpan(`process ${toName(view)}`, options, parentOf(view)));
    }
    const span = spans.get(view.id);
    if (type !== 'process.ended') span?.addEvent(type, {}, at);
    else if (span !== undefined) {
      endSpan(span, event.process);
      spans.delete(view.id);
    }
  });
}

function describeProcess(view: ProcessView): OtelAttributes {
  return {
    'process.command_line': view.commandLine,
    'process.working_directory': view.cwd,
    'troupe.process.id': view.id,
    'troupe.process.owner': view.owner,
    'troupe.process.kind': view.kind,
  };
}

function toName({ label, commandLine }: ProcessView): string {
  return label ?? commandLine.split(/\s/, 1)[0] ?? '';
}

function endSpan(span: OtelSpan, view: FinalView): void {
  const { exit, pid, status, output, reason } = view;
  span.setAttributes({
    'troupe.process.status': status,
    'troupe.output.bytes': output.bytes,
    ...(pid !== null && { 'process.pid': pid }),
    ...(exit?.code != null && { 'process.exit.code': exit.code }),
    ...(exit?.signal != null && { 'process.exit.signal': exit.signal }),
  });
  if (status !== 'completed') span.setStatus({ code: ERROR, message: describeEnd(reason, exit) });
  span.end(view.endedAt);
}

function measure<Context, Span extends OtelSpan>(
  { metrics }: OtelApi<Context, Span>,
  supervisor: Supervisor,
): { unsubscribe(): void } {
  const meter = metrics.getMeter('troupe');
  const ended = meter.createCounter('troupe.processes.ended', {
    description: 'Ended processes by status',
    unit: '{process}',
  });
  const printed = meter.createCounter('troupe.output', {
    description: 'Output of ended processes',
    unit: 'By',
  });
  const duration = meter.createHistogram('troupe.process.duration', {
    description: 'Run time of ended processes',
    unit: 's',
  });
  const live = meter.createObservableGauge('troupe.processes.live', {
    description: 'Live processes by status',
    unit: '{process}',
  });
  const observe: OtelGaugeCallback = (result) => {
    const counts = new Map<string, number>();
    for (const { status } of supervisor.list({ live: true }))
      counts.set(status, (counts.get(status) ?? 0) + 1);
    for (const [status, count] of counts) result.observe(count, { status });
  };
  live.addCallback(observe);
  const subscription = supervisor.completions$.subscribe(({ process: { status, runtimeMs, output } }) => {
    ended.add(1, { status });
    duration.record(runtimeMs / 1_000, { status });
    printed.add(output.bytes, { status });
  });
  return {
    unsubscribe: () => {
      subscription.unsubscribe();
      live.removeCallback(observe);
    },
  };
}

interface ConversationTrace<Context> {
  readonly subscription: Subscription;
  /** Returns the context of the call or the turn that started a process; `undefined` outside a turn. */
  contextOf(view: ProcessView): Context | undefined;
}

function traceConversation<Context, Span extends OtelSpan>(
  api: Pick<OtelApi<Context, Span>, 'context' | 'trace'> & {
    readonly tracer: ReturnType<OtelApi<Context, Span>['trace']['getTracer']>;
  },
  conversation: Conversation,
): ConversationTrace<Context> {
  const calls = new Map<string, { readonly span: Span; readonly context: Context }>();
  let turn: { readonly span: Span; readonly context: Context } | null = null;
  const open = (name: string, { attributes, parent }: { attributes: OtelAttributes; parent: Context }) => {
    const span = api.tracer.startSpan(name, { attributes }, parent);
    return { span, context: api.trace.setSpan(parent, span) };
  };
  const hear = (event: ConversationEvent) => {
    switch (event.type) {
      case 'turn.started': {
        const attributes = {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.conversation.id': conversation.id,
          'troupe.turn.because': event.because,
        };
        turn = open('invoke_agent', { attributes, parent: api.context.active() });
        break;
      }
      case 'tool.called': {
        const { id, name: tool } = event.call;
        const attributes = {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.call.id': id,
        };
        const parent = turn?.context ?? api.context.active();
        calls.set(id, open(`execute_tool ${tool}`, { attributes, parent }));
        break;
      }
      case 'tool.answered': {
        const span = calls.get(event.call.id)?.span;
        calls.delete(event.call.id);
        if (!event.answer.ok) span?.setStatus({ code: ERROR, message: event.answer.error });
        span?.end();
        break;
      }
      case 'model.failed':
        turn?.span.addEvent(event.type, { error: event.error, attempt: event.attempt }, Date.now());
        break;
      case 'turn.ended': {
        const { outcome } = event;
        turn?.span.setAttributes({ 'troupe.turn.outcome': outcome.type });
        if (outcome.type === 'failed') turn?.span.setStatus({ code: ERROR, message: outcome.error });
        turn?.span.end();
        turn = null;
        break;
      }
    }
  };
  return {
    subscription: conversation.events$.subscribe(hear),
    contextOf: ({ callId }) => (callId === null ? undefined : calls.get(callId)?.context) ?? turn?.context,
  };
}
