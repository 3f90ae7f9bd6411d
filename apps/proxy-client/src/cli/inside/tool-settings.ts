/** A file of settings in the home directory. */
export interface SettingsFile {
  /** Relative to the home directory. */
  readonly path: string;
  readonly content: string;
}

/** What the command reaches on its own loopback does not go through the proxy. */
const LOCAL = 'localhost,127.0.0.1,::1';
const JAVA_LOCAL = 'localhost|127.*|[::1]';

/**
 * Returns the variables by which programs find a proxy. Programs differ in the variable, the case and the form; all get the address,
 * never a name, because not all of them resolve `localhost` to the same address.
 *
 * @param environment - the variables of the command; Java's options are added to the present ones
 */
export function proxyVariables(url: string, environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const { hostname, port } = new URL(url);
  const { JAVA_TOOL_OPTIONS = '' } = environment;
  const both = (name: string): readonly string[] => [name, name.toUpperCase()];
  const general = ['http_proxy', 'https_proxy', 'all_proxy', 'grpc_proxy'].flatMap(both);
  const java = ['http', 'https'].map((scheme) => `-D${scheme}.proxyHost=${hostname} -D${scheme}.proxyPort=${port}`);
  return {
    ...Object.fromEntries(general.map((name) => [name, url])),
    ...Object.fromEntries(both('no_proxy').map((name) => [name, LOCAL])),
    // Node's own clients read the variables only then.
    NODE_USE_ENV_PROXY: '1',
    GLOBAL_AGENT_HTTP_PROXY: url,
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    RSYNC_PROXY: `${hostname}:${port}`,
    CLOUDSDK_PROXY_TYPE: 'http',
    CLOUDSDK_PROXY_ADDRESS: hostname,
    CLOUDSDK_PROXY_PORT: port,
    // First, so that the person's options take precedence.
    JAVA_TOOL_OPTIONS: [...java, `-Dhttp.nonProxyHosts=${JAVA_LOCAL}`, JAVA_TOOL_OPTIONS].join(' ').trim(),
  };
}

/**
 * Returns the settings of programs that read a file instead of variables. For ssh it is not the variable GIT_SSH_COMMAND, which would
 * take precedence over the `core.sshCommand` of a repository.
 *
 * @param connect - the command that connects its input and output with a host and port through the proxy
 */
export function settingsFiles(url: string, connect: readonly string[]): readonly SettingsFile[] {
  const { hostname, port } = new URL(url);
  const quoted = [...connect, '--proxy', url].map((word) => `"${word}"`).join(' ');
  return [
    {
      path: '.ssh/config',
      // A master connection would outlive the command.
      content: `Host *\n  ProxyCommand ${quoted} %h %p\n  ControlMaster no\n`,
    },
    {
      path: '.subversion/servers',
      content: `[global]\nhttp-proxy-host = ${hostname}\nhttp-proxy-port = ${port}\nhttp-proxy-exceptions = ${LOCAL}\n`,
    },
  ];
}
