/** An organization with the role that its identities must have. */
export interface Principal {
  readonly mspId: string;
  readonly role: string;
}

/** A signature policy as Fabric's commands accept it, such as `OR('Org1MSP.member', 'Org2MSP.peer')`. */
export interface SignaturePolicy {
  readonly principals: readonly Principal[];
  /** Whether one signature suffices, as a policy of members must be. */
  readonly isAlternative: boolean;
}

const TOKEN =
  /\s*(?:(?<open>\()|(?<close>\))|(?<comma>,)|(?<number>\d{1,9})|(?<name>[A-Za-z]+)|'(?<single>[^']*)'|"(?<double>[^"]*)")/y;
const PRINCIPAL = /^([A-Za-z0-9.-]+)\.(admin|member|client|peer|orderer)$/;
/** Deeper policies have no use, and would exhaust the stack. */
const MAX_DEPTH = 20;

/**
 * Parses a signature policy.
 * @throws an Error that states what is wrong
 */
export function parseSignaturePolicy(text: string): SignaturePolicy {
  const parser = new Parser(text);
  const policy = parser.gate(0);
  parser.requireEnd();
  return policy;
}

class Parser {
  readonly #tokens: readonly Readonly<Record<string, string>>[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  /** Parses `AND(…)`, `OR(…)` or `OutOf(n, …)`. */
  gate(depth: number): SignaturePolicy {
    if (depth > MAX_DEPTH) throw new Error('it is nested too deeply');
    const name = this.#take('name')?.toLowerCase();
    if (name !== 'and' && name !== 'or' && name !== 'outof') throw new Error('use OR(…), AND(…) or OutOf(n, …)');
    this.#require('open', '(');
    const wanted = name === 'outof' ? this.#count() : undefined;
    const rules = [this.#rule(depth)];
    while (this.#take('comma') !== undefined) rules.push(this.#rule(depth));
    this.#require('close', ')');
    return combined(wanted ?? (name === 'or' ? 1 : rules.length), rules);
  }

  requireEnd(): void {
    if (this.#next < this.#tokens.length) throw new Error('something follows its last parenthesis');
  }

  #rule(depth: number): SignaturePolicy {
    const text = this.#take('single') ?? this.#take('double');
    if (text === undefined) return this.gate(depth + 1);
    const [, mspId, role] = PRINCIPAL.exec(text) ?? [];
    if (mspId === undefined || role === undefined) {
      throw new Error(`${JSON.stringify(text)} is not MSPID.ROLE with member, admin, client, peer or orderer`);
    }
    return { principals: [{ mspId, role }], isAlternative: true };
  }

  #count(): number {
    const count = this.#take('number') ?? this.#take('single') ?? this.#take('double') ?? '';
    if (!/^\d{1,9}$/.test(count)) throw new Error('OutOf begins with a number');
    this.#require('comma', ',');
    return Number(count);
  }

  #take(kind: string): string | undefined {
    const text = this.#tokens[this.#next]?.[kind];
    if (text !== undefined) this.#next += 1;
    return text;
  }

  #require(kind: string, shown: string): void {
    if (this.#take(kind) === undefined) throw new Error(`"${shown}" is missing`);
  }
}

/** @param needed - number of rules that must be satisfied */
function combined(needed: number, rules: readonly SignaturePolicy[]): SignaturePolicy {
  // Fabric accepts one more than there are rules, which cannot be satisfied.
  if (needed > rules.length + 1) throw new Error(`OutOf(${needed}, …) has only ${rules.length} rules`);
  return {
    principals: rules.flatMap(({ principals }) => principals),
    isAlternative: needed === 1 && rules.every(({ isAlternative }) => isAlternative),
  };
}

function tokensOf(text: string): readonly Readonly<Record<string, string>>[] {
  const tokens: Record<string, string>[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw new Error(`it cannot be read from ${JSON.stringify(text.slice(at, at + 20))} on`);
    tokens.push(groups);
  }
  return tokens;
}
