import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readRegularFileSync } from '#files';
import { InvalidIndex, type MangoIndex, parseIndex } from '#mango';

/** The folder of a chaincode's indexes, as in its package on a network. */
const FOLDER = 'META-INF/statedb/couchdb';

/** The indexes of a chaincode. */
export interface ChaincodeIndexes {
  /** Of its public state. */
  readonly state: readonly MangoIndex[];
  /** Of its private collections, by their names. */
  readonly collections: ReadonlyMap<string, readonly MangoIndex[]>;
}

/**
 * Reads the indexes in the folder of a chaincode. One whose folder is not known has none.
 * @throws an Error that names the file and the key of an invalid one
 */
export function readIndexes(path: string | undefined): ChaincodeIndexes {
  if (path === undefined) return { state: [], collections: new Map() };
  const folder = join(path, FOLDER);
  const collections = entriesOf(join(folder, 'collections'));
  return {
    state: indexesIn(join(folder, 'indexes')),
    collections: new Map(collections.map((name) => [name, indexesIn(join(folder, 'collections', name, 'indexes'))])),
  };
}

/** Returns the indexes of a folder. Of two with the same names, the later file counts. */
function indexesIn(folder: string): readonly MangoIndex[] {
  const files = entriesOf(folder).filter((file) => file.endsWith('.json'));
  const indexes = files.map((file) => readIndex(join(folder, file)));
  return [...new Map(indexes.map((index) => [`${index.designDocument}/${index.name}`, index])).values()];
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    // Most chaincodes have no indexes.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function readIndex(file: string): MangoIndex {
  try {
    return parseIndex(readRegularFileSync(file), basename(file, '.json'));
  } catch (error) {
    if (!(error instanceof InvalidIndex)) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new Error(`the index ${file} cannot be read (${code})`, { cause: error });
    }
    const place = error.pointer === '' ? '' : `${error.pointer} `;
    throw new Error(`the index ${file} is invalid: ${place}${error.message}`, { cause: error });
  }
}
