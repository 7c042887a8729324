/** Event as far as the page reads one. */
export interface SmallEvent {
  readonly type: string;
  target: SmallElement;
  currentTarget: SmallElement;
  preventDefault(): void;
  readonly [name: string]: unknown;
}

type Listener = (this: SmallElement, event: SmallEvent) => void;

class SmallNode {
  readonly nodeType: number;
  parentNode: SmallElement | null = null;

  constructor(nodeType: number) {
    this.nodeType = nodeType;
  }

  get nextSibling(): SmallNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  remove(): void {
    const siblings = this.parentNode?.childNodes ?? [];
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.parentNode = null;
  }
}

class SmallText extends SmallNode {
  data: string;

  constructor(data: string) {
    super(3);
    this.data = String(data);
  }
}

/** Element of a document without layout: enough of the DOM for Preact to render, and for a test to click and type. */
export class SmallElement extends SmallNode {
  readonly localName: string;
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, string> = {};
  readonly listeners = new Map<string, Set<Listener>>();
  childNodes: SmallNode[] = [];
  innerHTML = '';
  /** Property of an input, which is no attribute. */
  value = '';
  checked = false;
  scrollTop = 0;
  clientHeight = 300;
  clientWidth = 1_000;
  scrollHeight = 2_000;
  isFocused = false;

  constructor(localName: string) {
    super(1);
    this.localName = localName;
  }

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null;
  }

  get children(): readonly SmallElement[] {
    return this.childNodes.filter((node) => node instanceof SmallElement);
  }

  get text(): string {
    return this.childNodes
      .map((node) => (node instanceof SmallText ? node.data : node instanceof SmallElement ? node.text : ''))
      .join('');
  }

  insertBefore(node: SmallNode, before: SmallNode | null): SmallNode {
    node.remove();
    const place = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(place, 0, node);
    node.parentNode = this;
    return node;
  }

  replaceChildren(): void {
    for (const node of [...this.childNodes]) node.remove();
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(type: string, listener: Listener, options?: { readonly once?: boolean }): void {
    const once: Listener = (event) => {
      this.removeEventListener(type, once);
      listener.call(this, event);
    };
    const added = options?.once === true ? once : listener;
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(added));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.listeners.get(type)?.delete(listener);
  }

  /** Dispatches an event here and on the elements above. Returns whether its default was prevented. */
  dispatch(type: string, facts: object = {}): boolean {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    const event: SmallEvent = { ...facts, type, target: this, currentTarget: this, preventDefault };
    for (let at: SmallElement | null = this; at !== null; at = at.parentNode) {
      event.currentTarget = at;
      for (const listener of [...(at.listeners.get(type) ?? [])]) listener.call(at, event);
    }
    return isPrevented;
  }

  /** Lists the elements below whose local name or class is `name`, or that have the attribute value `[name=value]`, from top to bottom. */
  findAll(name: string): readonly SmallElement[] {
    return this.children.flatMap((child) => [...(child.is(name) ? [child] : []), ...child.findAll(name)]);
  }

  querySelector(selector: string): SmallElement | null {
    const names = selector.split(',').map(
      (each) =>
        each
          .trim()
          .split(/\s+(?![^[]*\])/)
          .at(-1) ?? '',
    );
    return names.flatMap((name) => this.findAll(name))[0] ?? null;
  }

  querySelectorAll(): readonly SmallElement[] {
    return [];
  }

  closest(selector: string): SmallElement | null {
    const names = selector.split(',').map((each) => each.trim());
    for (let at: SmallElement | null = this; at !== null; at = at.parentNode)
      if (names.some((name) => at?.is(name))) return at;
    return null;
  }

  focus(): void {
    this.isFocused = true;
  }

  blur(): void {
    this.isFocused = false;
  }

  scrollTo({ top }: { readonly top: number }): void {
    this.scrollTop = top;
  }

  scrollIntoView(): void {}

  getBoundingClientRect(): { readonly left: number; readonly width: number } {
    return { left: 0, width: this.clientWidth };
  }

  private is(selector: string): boolean {
    const [, attribute = '', value = ''] = /^\[([\w-]+)="?([^"]*)"?\]$/.exec(selector) ?? [];
    if (attribute !== '') return this.attributes.get(attribute) === value;
    const [name = '', ...classes] = selector.split('.');
    const own = (this.attributes.get('class') ?? '').split(' ');
    if (name.startsWith('#')) return this.attributes.get('id') === name.slice(1);
    return (name === '' || name === this.localName) && classes.every((each) => own.includes(each));
  }
}

/** Document, which events of the keyboard reach. */
export class SmallDocument extends SmallElement {
  readonly body = new SmallElement('body');
  hidden = false;
  title = '';

  constructor() {
    super('html');
    this.insertBefore(this.body, null);
  }

  createElementNS(_namespace: string | null, name: string): SmallElement {
    return new SmallElement(name);
  }

  createTextNode(data: string): SmallText {
    return new SmallText(data);
  }
}

/** Writes a tree as indented HTML; texts beside each other are one line, and a drawing is its name. */
export function toHtml(element: SmallElement, indent = ''): string {
  const { localName, attributes, style, childNodes, innerHTML, value } = element;
  const styles = Object.entries(style).map(([name, each]) => `${name}: ${each}`);
  const facts: (readonly [string, string])[] = [
    ...attributes,
    ...(styles.length === 0 ? [] : [['style', styles.join('; ')] as const]),
    ...(value === '' ? [] : [['value', value] as const]),
  ];
  const head = [localName, ...facts.map(([name, each]) => `${name}="${each}"`)].join(' ');
  const lines: string[] = [];
  let text = '';
  const endText = () => {
    if (text.trim() !== '') lines.push(`${indent}  ${text.trim().replaceAll('\n', '⏎')}`);
    text = '';
  };
  for (const node of childNodes) {
    if (node instanceof SmallText) text += node.data;
    if (!(node instanceof SmallElement)) continue;
    endText();
    lines.push(toHtml(node, `${indent}  `));
  }
  endText();
  if (innerHTML !== '') lines.push(`${indent}  (drawing)`);
  return [`${indent}<${head}>`, ...lines].join('\n');
}
