import type { Connections } from '../activity/connections.js';
import type { Question } from '../admin/api/gate.responses.js';
import { readAnswer } from '../admin/read-answer.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { parseTarget } from '../http/authority.js';
import { Asks, type AskParts } from '../routing/gate/asks.js';
import { Denials } from '../routing/gate/denials.js';
import type { Gate } from '../routing/gate/gate.js';
import { Grants } from '../routing/gate/grants.js';

/** The persons or programs that answer whether a target is allowed. */
export interface Asking extends Pick<AskParts, 'isAttended' | 'writeRule'> {
  /**
   * A question was asked.
   *
   * @param answer - answers it; returns the error in the answer as text
   */
  asked(
    question: Question,
    answer: (fields: Readonly<Record<string, unknown>>, by: string) => string | undefined,
  ): void;
}

/** The dependencies of a gate. */
export interface GateParts {
  readonly logger: ProxyLog;
  /** Absent: no one answers, so that requests that ask are refused. */
  readonly asking: Asking | undefined;
  /** The connections of the proxy, of which some end with a grant. */
  readonly connections: Connections;
  /** Returns the present settings. */
  readonly settings: AskParts['settings'];
}

/** Creates a gate. Its events are logged, questions are passed to those who answer, and the end of a grant ends its connections. */
export function makeGate({ logger, asking, connections, settings }: GateParts): Gate {
  const grants: Grants = new Grants({
    added: (grant, by) => {
      logger.info({ grant, by }, 'grant added');
      asks.granted(by);
    },
    ended: (grant, by) => {
      const ended = endUngranted(connections, grants, by);
      logger.info({ grant, by, connections: ended }, by === undefined ? 'grant expired' : 'grant ended');
    },
  });
  const asks: Asks = new Asks({
    grants,
    settings,
    isAttended: () => asking?.isAttended() === true,
    writeRule: asking?.writeRule,
    asked: (question) => {
      logger.warn({ ask: question }, `a request for ${question.target} waits for an answer: ${question.command}`);
      asking?.asked(question, (fields, by) => answerWith(asks, question.id, fields, by));
    },
    ended: (question, outcome, by) => {
      logger.info({ ask: question, outcome, by }, 'a question has ended');
    },
  });
  return { asks, grants, denials: new Denials() };
}

/** Ends the connections that a grant has allowed and no grant allows any more. @returns their number */
function endUngranted(connections: Connections, grants: Grants, by: string | undefined): number {
  return connections.endWhere(
    ({ isGranted, authority, client }) =>
      isGranted === true && !grants.covers({ target: parseTarget(authority), client }),
    { reason: 'grant_ended', by },
  );
}

/** Answers a question with fields of JSON. @returns why that is impossible */
function answerWith(asks: Asks, id: string, fields: Readonly<Record<string, unknown>>, by: string): string | undefined {
  const answer = readAnswer(fields);
  if (typeof answer === 'string') return answer;
  const result = asks.answer(id, answer, by);
  if (result === 'unknown') return 'the question has ended';
  if ('question' in result) return undefined;
  return 'conflict' in result ? result.conflict : result.invalid;
}
