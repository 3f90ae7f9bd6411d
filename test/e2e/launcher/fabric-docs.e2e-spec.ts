import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../../support/program.js';

const EXAMPLES = 'docs/examples';
const MAIN = {
  fabric: 'src/fabric.js',
  chaincode: 'src/chaincode.js',
} as const;

/** `npm run fabric -- up --dir …` in any page of the examples, with continuation lines joined. */
function commandsInDocs(): { page: string; program: keyof typeof MAIN; command: string; options: string[] }[] {
  return readdirSync(EXAMPLES).flatMap((name) => {
    const page = join(EXAMPLES, name, 'README.md');
    const text = readPage(page).replaceAll('\\\n', ' ');
    return [...text.matchAll(/npm run (?:--silent )?(fabric|chaincode) -- ([a-z]+)([^\n`]*)/g)].map((match) => ({
      page,
      program: match[1] as keyof typeof MAIN,
      command: match[2] ?? '',
      // Quoted text is for another program.
      options: (match[3] ?? '').replaceAll(/'[^']*'/g, '').match(/--[a-z-]+/g) ?? [],
    }));
  });
}

function readPage(page: string): string {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return '';
  }
}

describe('the commands in the examples', () => {
  const commands = commandsInDocs();

  it('are found', () => {
    expect(new Set(commands.map(({ program, command }) => `${program} ${command}`))).toEqual(
      new Set(['fabric up', 'fabric status', 'fabric down', 'chaincode package', 'chaincode serve']),
    );
  });

  it.each(['fabric up', 'fabric status', 'fabric down', 'chaincode package', 'chaincode serve'])(
    '%s has every option that they use',
    async (name) => {
      const used = commands.filter(({ program, command }) => `${program} ${command}` === name);
      const [program, command] = name.split(' ') as [keyof typeof MAIN, string];
      const help = new Program({ main: MAIN[program], args: [command, '--help'] });
      expect(await help.ended).toMatchObject({ code: 0 });
      for (const option of used.flatMap(({ options }) => options)) {
        expect(help.stdout).toMatch(new RegExp(`^  ${option}\\b`, 'm'));
      }
    },
  );

  it('list every option of up in their table', async () => {
    const help = new Program({ main: MAIN.fabric, args: ['up', '--help'] });
    await help.ended;
    const page = readPage(join(EXAMPLES, '20.fabric-without-docker', 'README.md'));
    const options = [...help.stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(10);
    for (const option of options) expect(page).toContain(`\`${option ?? ''}\``);
  });
});
