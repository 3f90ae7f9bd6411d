const { Contract } = require('fabric-contract-api');

/** Notes, which only auditors may delete. */
class Notes extends Contract {
  async Put({ stub }, id, text) {
    await stub.putState(id, Buffer.from(text));
  }

  async Get({ stub }, id) {
    const text = await stub.getState(id);
    if (text.length === 0) throw new Error(`there is no note ${id}`);
    return text.toString();
  }

  async Delete({ stub, clientIdentity }, id) {
    if (clientIdentity.getAttributeValue('role') !== 'auditor') throw new Error('only auditors delete notes');
    await stub.deleteState(id);
  }
}

module.exports.contracts = [Notes];
