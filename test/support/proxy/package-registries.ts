import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files by their URLs. */
type Files = Readonly<Record<string, string | Uint8Array>>;

/** A build from a registry of the test, which is served on two hosts where registries do that. */
export interface LocalBuild {
  readonly name: string;
  /** The programs that must be installed. */
  readonly tools: readonly string[];
  /** What the registry serves. @param directory - for temporary files */
  readonly registry: (directory: string) => Files;
  /** Files of the project. */
  readonly project: Readonly<Record<string, string>>;
  readonly command: string;
  /** The targets that it reaches. */
  readonly hosts: readonly string[];
}

/** Creates an archive of files; go refuses one with directories. */
const ZIP = "import sys, zipfile; z = zipfile.ZipFile('packed', 'w'); [z.write(file) for file in sys.argv[1:]]";

/** Packs files, whose paths begin with the folder that the format requires. */
function packed(format: 'tar' | 'zip', directory: string, files: Readonly<Record<string, string>>): Uint8Array {
  const folder = mkdtempSync(join(directory, 'package-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const command = format === 'tar' ? ['tar', '-czf', 'packed'] : ['python3', '-c', ZIP];
  const [file = '', ...args] = [...command, ...Object.keys(files)];
  const { status, stderr } = spawnSync(file, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} failed: ${stderr}`);
  return readFileSync(join(folder, 'packed'));
}

/** A build system of a Python package that is contained in its sources, so that no other package is needed. */
const PYTHON_BACKEND = `
import zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(directory + '/tiny_thing-1.0-py3-none-any.whl', 'w') as wheel:
        wheel.writestr('tiny_thing.py', 'ANSWER = 42')
        wheel.writestr('tiny_thing-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny-thing\\nVersion: 1.0\\n')
        wheel.writestr('tiny_thing-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr('tiny_thing-1.0.dist-info/RECORD', '')
    return 'tiny_thing-1.0-py3-none-any.whl'
`;

const pip: LocalBuild = {
  name: 'pip',
  tools: ['pip', 'python3', 'tar'],
  registry: (directory) => ({
    'http://index.example.org/simple/tiny-thing/':
      '<!DOCTYPE html><a href="http://files.example.org/tiny-thing-1.0.tar.gz">tiny-thing-1.0.tar.gz</a>',
    'http://files.example.org/tiny-thing-1.0.tar.gz': packed('tar', directory, {
      'tiny-thing-1.0/PKG-INFO': 'Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n',
      'tiny-thing-1.0/pyproject.toml':
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
      'tiny-thing-1.0/backend.py': PYTHON_BACKEND,
    }),
  }),
  project: {},
  command:
    'pip wheel --index-url http://index.example.org/simple --trusted-host index.example.org --trusted-host files.example.org ' +
    '--disable-pip-version-check --no-input --wheel-dir wheels tiny-thing; test -e wheels/tiny_thing-1.0-py3-none-any.whl',
  hosts: ['files.example.org', 'index.example.org'],
};

const cargo: LocalBuild = {
  name: 'cargo',
  tools: ['cargo', 'rustc', 'cc', 'tar'],
  registry: (directory) => {
    const crate = packed('tar', directory, {
      'tiny-thing-1.0.0/Cargo.toml': '[package]\nname = "tiny-thing"\nversion = "1.0.0"\nedition = "2021"\n',
      'tiny-thing-1.0.0/src/main.rs': 'fn main() { println!("42"); }\n',
    });
    const cksum = createHash('sha256').update(crate).digest('hex');
    return {
      'http://index.example.org/config.json': '{"dl": "http://crates.example.org/{crate}/{version}"}',
      'http://index.example.org/ti/ny/tiny-thing': `${JSON.stringify({
        ...{ name: 'tiny-thing', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false },
      })}\n`,
      'http://crates.example.org/tiny-thing/1.0.0': crate,
    };
  },
  project: {},
  command:
    'cargo install --debug --root . --index sparse+http://index.example.org/ tiny-thing; test "$(bin/tiny-thing)" = 42',
  hosts: ['crates.example.org', 'index.example.org'],
};

const GO_MOD = 'module example.org/tiny\n\ngo 1.21\n';
const go: LocalBuild = {
  name: 'go',
  tools: ['go', 'python3'],
  registry: (directory) => ({
    'http://modules.example.org/example.org/tiny/@v/list': 'v1.0.0\n',
    'http://modules.example.org/example.org/tiny/@v/v1.0.0.info': '{"Version": "v1.0.0"}',
    'http://modules.example.org/example.org/tiny/@v/v1.0.0.mod': GO_MOD,
    'http://modules.example.org/example.org/tiny/@v/v1.0.0.zip': packed('zip', directory, {
      'example.org/tiny@v1.0.0/go.mod': GO_MOD,
      'example.org/tiny@v1.0.0/main.go': 'package main\n\nfunc main() { println(42) }\n',
    }),
  }),
  project: {},
  command:
    'GOPROXY=http://modules.example.org GONOSUMDB=* GOTOOLCHAIN=local GOBIN=$PWD/bin go install example.org/tiny@v1.0.0; ' +
    'test "$(bin/tiny 2>&1)" = 42',
  hosts: ['modules.example.org'],
};

const POM = (artifact: string, packaging: string, rest: string): string =>
  `<project><modelVersion>4.0.0</modelVersion>${rest}<artifactId>${artifact}</artifactId><packaging>${packaging}</packaging>`;
const EXAMPLE = '<groupId>org.example</groupId><version>1</version>';
const PARENT =
  '<parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>';
const maven: LocalBuild = {
  name: 'Maven',
  tools: ['mvn', 'java', 'python3'],
  registry: (directory) => {
    const jar = packed('zip', directory, { 'META-INF/MANIFEST.MF': 'Manifest-Version: 1.0\n' });
    const central = 'http://central.example.org/org';
    const plexus = '<groupId>org.codehaus.plexus</groupId><version>1.1</version>';
    return {
      [`${central}/example/parent/1/parent-1.pom`]: `${POM('parent', 'pom', EXAMPLE)}</project>`,
      [`${central}/example/tool/1/tool-1.pom`]: `${POM('tool', 'jar', EXAMPLE)}</project>`,
      [`${central}/example/tool/1/tool-1.jar`]: jar,
      // Maven adds it to each extension.
      [`${central}/codehaus/plexus/plexus-utils/1.1/plexus-utils-1.1.pom`]: `${POM('plexus-utils', 'jar', plexus)}</project>`,
      [`${central}/codehaus/plexus/plexus-utils/1.1/plexus-utils-1.1.jar`]: jar,
    };
  },
  project: {
    // A mirror of its own, because Maven blocks http by default.
    'settings.xml':
      '<settings><mirrors><mirror><id>local</id><mirrorOf>*</mirrorOf><url>http://central.example.org/</url></mirror></mirrors></settings>',
    'pom.xml':
      POM('app', 'pom', PARENT) +
      `<build><extensions><extension>${EXAMPLE}<artifactId>tool</artifactId></extension></extensions></build></project>`,
  },
  command: 'mvn -B -q -s settings.xml validate',
  hosts: ['central.example.org'],
};

/** One build for each registry that needs no package of a public one. npm's is in proxy-gate.interop. */
export const LOCAL_BUILDS: readonly LocalBuild[] = [pip, cargo, go, maven];
