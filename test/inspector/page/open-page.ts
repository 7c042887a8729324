import { h, render } from 'preact';
import { vi } from 'vitest';
import type { LiveState } from '../../../src/live/live-state.ts';
import { SmallDocument, SmallElement, toHtml } from './small-dom.ts';

// The page names times of the day.
process.env['TZ'] = 'UTC';

/** Order that the page has sent. */
export interface SentOrder {
  readonly method: string;
  readonly params: unknown;
}

export interface PageOptions {
  readonly live: Partial<LiveState>;
  /** Time of the program, in milliseconds since the epoch. */
  readonly now: number;
  readonly readOnly?: boolean;
  readonly warnings?: readonly string[];
  readonly hash?: string;
  /** Answers to other requests than orders, by path without query. */
  readonly served?: Readonly<Record<string, () => Response>>;
}

/** The page in a document without layout, with answers of the program that a test gives. */
export interface OpenPage extends Disposable {
  readonly document: SmallDocument;
  readonly state: typeof import('../../../src/inspector/page/state.ts');
  /** Orders that it has sent, oldest first. */
  readonly orders: readonly SentOrder[];
  /** Addresses that it has asked, oldest first. */
  readonly requests: readonly string[];
  /** Answers to the next orders by method; without one an order is refused. */
  readonly results: Map<string, unknown>;
  /** Waits until everything is drawn that needs no answer. */
  settle(): Promise<void>;
  html(selector: string): string;
  find(selector: string): SmallElement;
  /** Returns the button with that text or name. */
  button(name: string): SmallElement;
  click(name: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
}

/** Opens the page as it is at one moment. It does not connect; a test sets what the program says. */
export async function openPage(options: PageOptions): Promise<OpenPage> {
  const document = new SmallDocument();
  const orders: SentOrder[] = [];
  const requests: string[] = [];
  const results = new Map<string, unknown>();
  const location = { hash: options.hash ?? '' };
  const globals = {
    document,
    location,
    window: Object.assign(new SmallElement('window'), { setTimeout, setInterval, clearTimeout }),
    Element: SmallElement,
    HTMLInputElement: SmallElement,
    history: {
      pushState: (_state: unknown, _title: string, hash: string) => {
        location.hash = hash;
      },
    },
    requestAnimationFrame: (draw: () => void) => setTimeout(draw),
    cancelAnimationFrame: clearTimeout,
    ResizeObserver: class {
      readonly #draw: () => void;
      constructor(draw: () => void) {
        this.#draw = draw;
      }
      observe() {
        this.#draw();
      }
      disconnect() {}
    },
    fetch: async (url: string, init?: { readonly body: string }) => {
      requests.push(url);
      if (url !== 'api/act') return options.served?.[url.split('?')[0] ?? '']?.() ?? new Response('{}');
      const order = JSON.parse(init?.body ?? '') as SentOrder;
      orders.push(order);
      if (results.has(order.method)) return Response.json({ result: results.get(order.method) });
      return Response.json({ error: { message: `${order.method} is refused.` } });
    },
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.resetModules();
  const state = await import('../../../src/inspector/page/state.ts');
  const { App } = await import('../../../src/inspector/page/app.tsx');
  state.now.value = options.now;
  state.live.value = { ...state.live.value, connection: 'open', ...options.live };
  state.about.value = {
    kind: 'program',
    title: 'build.ts',
    readOnly: options.readOnly ?? false,
    warnings: options.warnings ?? [],
    supervisors: [{ id: 'sup_one', role: 'daemon', pid: 77 }],
  };
  const body = document.body as unknown as Element;
  render(h(App, {}), body);

  const find = (selector: string) => {
    const found = document.querySelector(selector);
    if (found === null) throw new Error(`Nothing is ${selector} in\n${toHtml(document.body)}`);
    return found;
  };
  const button = (name: string) => {
    const isNamed = (each: SmallElement) => each.text === name || each.attributes.get('aria-label') === name;
    const found = document.findAll('button').find(isNamed);
    if (found === undefined) throw new Error(`No button is ${name} in\n${toHtml(document.body)}`);
    return found;
  };
  const settle = async () => {
    for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setTimeout(resolve));
  };
  await settle();
  return {
    ...{ document, state, orders, requests, results, find, button, settle },
    html: (selector) => toHtml(find(selector)),
    click: async (name) => {
      button(name).dispatch('click');
      await settle();
    },
    type: async (selector, text) => {
      const input = find(selector);
      input.value = text;
      input.dispatch('input');
      await settle();
    },
    // The globals stay: Preact uses them a moment longer.
    [Symbol.dispose]: () => render(null, body),
  };
}
