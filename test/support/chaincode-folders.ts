import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import ts from 'typescript';

/** A copy of a chaincode of test/fixtures/chaincodes, which can be built and edited. */
export class ChaincodeFolder {
  readonly path: string;

  constructor(name: string) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), `chaincode-${name}-`)));
    cpSync(join(process.cwd(), 'test/fixtures/chaincodes', name), this.path, { recursive: true });
  }

  /** Returns the folder of a Node package with its dependencies; TypeScript in `src` is compiled to `dist`. */
  static node(name: string): ChaincodeFolder {
    const folder = new ChaincodeFolder(name);
    symlinkSync(join(process.cwd(), 'node_modules'), folder.file('node_modules'));
    if (existsSync(folder.file('src'))) folder.#compile();
    return folder;
  }

  /** Returns the folder of a Python project with its virtual environment. */
  static python(name: string): ChaincodeFolder {
    const folder = new ChaincodeFolder(name);
    const run = (program: string, ...args: readonly string[]): void => {
      execFileSync(program, args, { cwd: folder.path, stdio: ['ignore', 'ignore', 'inherit'] });
    };
    run('python3', '-m', 'venv', '.venv');
    run('.venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt');
    return folder;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }

  #compile(): void {
    mkdirSync(this.file('dist'));
    for (const file of readdirSync(this.file('src'))) {
      const { outputText } = ts.transpileModule(readFileSync(join(this.file('src'), file), 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.CommonJS,
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
        },
      });
      writeFileSync(join(this.file('dist'), `${parse(file).name}.js`), outputText);
    }
  }
}

/** Returns whether a program runs on this machine. */
export function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
