import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installationOf } from './find-program.js';
import type { LaunchFault, LaunchPlan } from './launch-plan.js';

/** The files that start a project, by common names. */
const MAIN_FILES = ['main.py', 'app.py', 'chaincode.py'];

/** Returns how the chaincode of a Python project is started: by the interpreter of its virtual environment, as a server. */
export function planPythonProject(path: string): LaunchPlan | LaunchFault {
  const python = join(path, '.venv/bin/python');
  if (!existsSync(python)) {
    const install = existsSync(join(path, 'requirements.txt')) ? '-r requirements.txt' : '.';
    return {
      fault: `it has no virtual environment. Run "python3 -m venv .venv && .venv/bin/pip install ${install}" there.`,
    };
  }
  const main = mainFileOf(path);
  if (main === undefined) {
    return {
      fault: `it has none of ${MAIN_FILES.join(', ')}. Add chaincode.json: {"command": [".venv/bin/python", "FILE.py"]}`,
    };
  }
  return {
    path,
    connect: 'serve',
    transport: 'unix',
    command: () => [python, '-u', main],
    environment: { PYTHONDONTWRITEBYTECODE: '1' },
    confinement: 'bubblewrap',
    // The interpreter and its library are those of an installation elsewhere.
    readable: [path, installationOf(python)],
  };
}

function mainFileOf(path: string): string | undefined {
  const files = readdirSync(path).filter((name) => name.endsWith('.py'));
  return MAIN_FILES.find((name) => files.includes(name)) ?? (files.length === 1 ? files[0] : undefined);
}
