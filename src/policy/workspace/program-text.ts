import { mayStartOthers } from '../judge/starts-others.ts';
import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { type OptionShape, skipOptions } from '../unwrap/skip-options.ts';

interface Language {
  readonly program: RegExp;
  /** Behind it stands a program as text. */
  readonly option: RegExp;
  /** Syntax of the options before its program; later options belong to the program. */
  readonly shape: OptionShape;
}

const languages: readonly Language[] = [
  { program: /^(python[\d.]*|pypy\d?)$/, option: /^-[A-Za-z]*c/, shape: { letters: 'WXQ' } },
  {
    program: /^(node|nodejs|bun)$/,
    option: /^(-[a-z]*[ep]|--eval|--print)/,
    shape: { letters: 'rC', long: ['--import', '--require', '--conditions', '--loader', '--env-file'] },
  },
  { program: /^deno$/, option: /^eval$/, shape: {} },
  { program: /^perl[\d.]*$/, option: /^-[A-Za-z0-9]*[eE]/, shape: { letters: 'I' } },
  { program: /^ruby[\d.]*$/, option: /^-[A-Za-z0-9]*e/, shape: { letters: 'IrCE' } },
  { program: /^php[\d.]*$/, option: /^-[rBRE]|^--(run|process)/, shape: { letters: 'cdz' } },
  {
    program: /^(lua[\d.]*|luajit|rscript|julia|guile|groovy|scala|elixir|osascript)$/,
    option: /^(-\w*[eEc]|--eval)/,
    shape: {},
  },
];

/** Tells whether a command runs a program from its arguments or input, which may open any file. */
export function runsProgramText(command: SimpleCommand): boolean {
  const program = programOf(command);
  const { words, input } = command;
  if (/^[gmn]?awk$/.test(program)) return mayStartOthers(command);
  const language = languages.find((one) => one.program.test(program));
  if (language === undefined) return false;
  const { index, isGuess } = skipOptions(words, language.shape);
  const options = isGuess || program === 'deno' ? words.slice(1) : words.slice(1, index);
  const isFed = input !== null && (words.length === 1 || words.includes('-'));
  return isFed || options.some((word) => language.option.test(word));
}
