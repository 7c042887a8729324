import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WriteResult } from '../../machines/process/events.ts';
import type {
  CaptureAnswer,
  KeyStroke,
  Paste,
  ScreenCapture,
  TerminalSize,
} from '../../machines/process/terminal.ts';
import { parseOptions } from '../config/parse-options.ts';
import {
  type CaptureOptions,
  captureOptions,
  type KeyOrder,
  keyInput,
  pasteOptions,
  terminalSize,
} from '../config/terminal-options.ts';
import type { OutputLog } from '../output/output-log.ts';
import { showsSecret } from '../output/redact.ts';
import { hideOnScreen } from '../secrets/hide-on-screen.ts';
import { refuseScreen, refuseWrite } from '../spawn/refusals.ts';
import { parseKeys } from '../spawn/terminal/parse-keys.ts';
import { readScreenFile, toScreenText } from '../spawn/terminal/screen-text.ts';
import { makeDirectory } from '../store/make-directory.ts';
import { replacePrivateFile } from '../store/private-files.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessLife } from './process-life.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { TerminalView } from './process-view.ts';

/** The parts of a process that its terminal uses. */
export interface TerminalParts {
  readonly deps: Pick<ProcessDeps, 'emit'>;
  readonly life: Pick<ProcessLife, 'ask' | 'hasEnded'>;
  readonly output: { readonly log: Pick<OutputLog, 'secrets'> };
}

/** Terminal of one process, over all its attempts and beyond its end. */
export class ProcessTerminal {
  readonly #plan: ProcessPlan;
  readonly #parts: TerminalParts;
  /** The size that was ordered, for later attempts. */
  #ordered: TerminalSize | null;
  /** The size last seen: a client that attaches by other means may have changed it. */
  #size: TerminalSize | null;
  #last: ScreenCapture | null = null;

  constructor(plan: ProcessPlan, parts: TerminalParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#ordered = plan.launch.size;
    this.#size = this.#ordered;
  }

  /** The size in which another attempt starts; `null` where there is no terminal. */
  get orderedSize(): TerminalSize | null {
    return this.#ordered;
  }

  /** Forgets the screen of the previous attempt. */
  beginAttempt(): void {
    this.#size = this.#ordered;
    this.#last = null;
    const { screenPath } = this.#plan;
    // The tmux backend removes the file itself.
    if (screenPath === null || this.#plan.files !== null) return;
    try {
      rmSync(screenPath, { force: true });
    } catch (error) {
      this.#reportError(error);
    }
  }

  get view(): TerminalView | null {
    const { terminal } = this.#plan;
    return terminal?.type === 'terminal' && this.#size !== null ? { ...terminal, ...this.#size } : terminal;
  }

  async capture(options: CaptureOptions = {}): Promise<CaptureAnswer> {
    const { scrollbackLines, withDrawing } = parseOptions(captureOptions, {
      input: options,
      name: 'capture',
    });
    const refusal = this.#refusal();
    if (refusal !== null) return refuseScreen('noTerminal', refusal);
    if (this.#parts.life.hasEnded) return this.#captureLast();
    const answer = await this.#parts.life.ask<CaptureAnswer>(
      (reply) => ({ type: 'terminal.capture', scrollbackLines, withDrawing, reply }),
      refuseScreen('notRunning', this.#notRunning()),
    );
    // Between two attempts, and during a start or an end, only the previous screen is available.
    if (!answer.ok) {
      const isBetween = answer.code === 'notRunning' && this.#lastScreen() !== null;
      return isBetween ? this.#captureLast() : answer;
    }
    const { columns, rows } = answer.screen;
    this.#size = { columns, rows };
    const screen = this.#hide(answer.screen);
    // A drawing contains the secrets, too, cannot be redacted, and reaches further back than the capture.
    const { drawing } = answer;
    const isExposed =
      screen !== answer.screen || (drawing !== null && showsSecret(drawing, this.#parts.output.log.secrets));
    return { ...answer, screen, drawing: isExposed ? null : drawing };
  }

  async sendKeys(order: KeyOrder): Promise<WriteResult> {
    const { text, paste, keys, pressEnter } = parseOptions(keyInput, { input: order, name: 'sendKeys' });
    const refusal = this.#refusal();
    if (refusal !== null) return refuseWrite('noTerminal', refusal);
    const parsed = parseKeys(keys);
    if (!parsed.ok) return refuseWrite('invalid', parsed.error);
    const isPasted = text !== '' && (paste || /[\r\n]/.test(text));
    return this.#type([
      ...(text === '' ? [] : [{ type: isPasted ? 'paste' : 'text', text } as const]),
      ...parsed.strokes,
      ...(pressEnter ? enter : []),
    ]);
  }

  async paste(given: string): Promise<WriteResult> {
    const { text } = parseOptions(pasteOptions, { input: { text: given }, name: 'paste' });
    const refusal = this.#refusal();
    if (refusal !== null) return refuseWrite('noTerminal', refusal);
    return this.#type([{ type: 'paste', text }]);
  }

  async resize(size: TerminalSize): Promise<WriteResult> {
    const { columns, rows } = parseOptions(terminalSize, { input: size, name: 'resize' });
    const refusal = this.#refusal();
    if (refusal !== null) return refuseWrite('noTerminal', refusal);
    const result = await this.#parts.life.ask<WriteResult>(
      (reply) => ({ type: 'process.resize', columns, rows, reply }),
      refuseWrite('notRunning', this.#notRunning()),
    );
    if (result.ok) {
      this.#ordered = { columns, rows };
      this.#size = this.#ordered;
    }
    return result;
  }

  /** Keeps the last screen of the backend. */
  keep(screen: ScreenCapture): void {
    const last = { ...screen, isLast: true };
    this.#last = this.#hide(last);
    const { screenPath } = this.#plan;
    // The tmux backend has written the file itself, without redaction.
    const isWritten = this.#plan.files !== null && this.#last === last;
    if (screenPath === null || isWritten) return;
    const directory = dirname(screenPath);
    // After a kill the screen comes after the end: a directory that was removed meanwhile is not created again.
    if (this.#parts.life.hasEnded && !existsSync(directory)) return;
    try {
      makeDirectory(directory);
      replacePrivateFile(screenPath, toScreenText(this.#last));
    } catch (error) {
      this.#reportError(error);
    }
  }

  #type(strokes: readonly (KeyStroke | Paste)[]): Promise<WriteResult> {
    // Announced before, once the typing can no longer be refused.
    this.#parts.deps.emit(this.#plan.id, { type: 'input.written' });
    return this.#parts.life.ask<WriteResult>(
      (reply) => ({ type: 'terminal.sendKeys', strokes, reply }),
      refuseWrite('notRunning', this.#notRunning()),
    );
  }

  #captureLast(): CaptureAnswer {
    const screen = this.#lastScreen();
    if (screen !== null) return { ok: true, screen, drawing: null, offset: 0 };
    const error = `The last screen of ${this.#plan.id} was removed or never captured. Read its output instead.`;
    return refuseScreen('broken', error);
  }

  #lastScreen(): ScreenCapture | null {
    const { screenPath } = this.#plan;
    if (this.#last !== null || screenPath === null) return this.#last;
    const screen = readScreenFile(screenPath);
    // The tmux backend has written the file without redaction.
    this.#last = screen === null ? null : this.#hide(screen);
    return this.#last;
  }

  /** Returns the screen with its secrets covered. */
  #hide(screen: ScreenCapture): ScreenCapture {
    return hideOnScreen(screen, this.#parts.output.log.secrets);
  }

  #reportError(error: unknown): void {
    this.#parts.deps.emit(this.#plan.id, { type: 'process.faulted', error });
  }

  #refusal(): string | null {
    const { id, terminal, backend } = this.#plan;
    if (terminal?.type === 'terminal') return null;
    if (terminal !== null) return terminal.because.replace(/^It /, `Process ${id} `);
    return `Process ${id} has no terminal. It runs as "${backend.mode}": start it with interactive: true.`;
  }

  #notRunning(): string {
    return `Process ${this.#plan.id} is not running.`;
  }
}

const enter: readonly KeyStroke[] = [{ type: 'key', key: 'Enter', ctrl: false, alt: false, shift: false }];
