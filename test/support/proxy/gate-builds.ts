/** A build of a package from its sources: it downloads from a public registry what it needs. */
export interface GateBuild {
  readonly name: string;
  /** The file that must be installed. */
  readonly file: string;
  /** A shell command for an empty directory. It installs nothing outside of that. */
  readonly command: string;
}

/** Headers of the system's Node, if there are any: otherwise node-gyp downloads those of the running one. */
const HEADERS = '[ ! -e /usr/include/node/node.h ] || export npm_config_nodedir=/usr';

const npm = (name: string, command: string): GateBuild => ({
  name: `npm: ${name}`,
  file: 'npm',
  command: `${HEADERS}; echo '{"private": true}' > package.json; ${command}`,
});
/** Everything is built from source, build systems included. */
const pip = (name: string, requirement: string): GateBuild => ({
  name: `pip: ${name}`,
  file: 'pip',
  command: `pip wheel --no-binary ${name} --wheel-dir wheels '${requirement}'`,
});
const cargo = (name: string, version: string): GateBuild => ({
  name: `cargo: ${name}`,
  file: 'cargo',
  command: `cargo install --debug --root . --version ${version} ${name}`,
});
const go = (name: string, module: string): GateBuild => ({
  name: `go: ${name}`,
  file: 'go',
  command: `GOBIN=$PWD/bin go install ${module}`,
});
const maven = (name: string, archetype: string, goal: string): GateBuild => ({
  name: `Maven: ${name}`,
  file: 'mvn',
  command:
    `mvn -B -q archetype:generate -DarchetypeGroupId=org.apache.maven.archetypes -DarchetypeArtifactId=${archetype} ` +
    `-DarchetypeVersion=1.4 -DgroupId=org.example -DartifactId=app -Dversion=1; cd app; mvn -B -q ${goal}`,
});

/** The builds that were tried with `learn`, each with empty caches. */
export const GATE_BUILDS: readonly GateBuild[] = [
  npm('bufferutil', 'npm install --build-from-source bufferutil@4.0.9'),
  npm('utf-8-validate', 'npm install --build-from-source utf-8-validate@6.0.5'),
  npm('microtime', 'npm install --build-from-source microtime@3.1.1'),
  npm(
    'typescript',
    'npm install typescript@5.9.2 @types/node@22.15.0; echo "let a: number = 1; console.log(a)" > a.ts; npx tsc a.ts',
  ),
  pip('markupsafe', 'markupsafe==3.0.2'),
  pip('pyyaml', 'pyyaml==6.0.2'),
  pip('msgpack', 'msgpack==1.1.0'),
  pip('rpds-py', 'rpds-py==0.25.1'),
  cargo('b3sum', '1.8.2'),
  cargo('hexyl', '0.16.0'),
  cargo('diskus', '0.8.0'),
  cargo('titlecase', '3.6.0'),
  go('stringer', 'golang.org/x/tools/cmd/stringer@v0.30.0'),
  go('age', 'filippo.io/age/cmd/age@v1.2.0'),
  go('hey', 'github.com/rakyll/hey@v0.1.4'),
  go('gofumpt', 'mvdan.cc/gofumpt@v0.7.0'),
  maven('a program with tests', 'maven-archetype-quickstart', 'package'),
  maven('a web application', 'maven-archetype-webapp', 'package'),
  maven('a site', 'maven-archetype-simple', 'package'),
  maven('documentation', 'maven-archetype-quickstart', 'package javadoc:javadoc'),
];
