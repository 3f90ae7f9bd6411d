export {
  idFault,
  MAX_ID_BYTES,
  MAX_PAGE_SIZE,
  MAX_VALUE_BYTES,
  requireBookmark,
  requireId,
  requirePageSize,
  requireValue,
  valueFault,
} from './arguments.js';
export {
  ChaincodeCommandError,
  ChaincodeUsageError,
  nodePackage,
  servicePackage,
  type ChaincodePackage,
} from './chaincode-package.js';
export { ContractError, parseContractError } from './contract-error.js';
export {
  decideOn,
  defineContract,
  list,
  METADATA_FUNCTION,
  MOST_RECORDS,
  prepared,
  query,
  write,
  type Contract,
  type PreparedCall,
  type StateReader,
} from './contract.js';
export type {
  Arguments,
  ContractEvent,
  ContractFunction,
  DecidingCall,
  Decision,
  Evaluation,
  HistoryEntry,
  PrivateKey,
  PrivateWrite,
  RangeQuery,
  Rule,
  StateEntry,
  StoredValue,
  TransactionFacts,
  Write,
} from './contract-function.js';
export { outOfReach, readHistoryPage } from './history-page.js';
