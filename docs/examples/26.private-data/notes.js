const { Contract } = require('fabric-contract-api');

/** Notes in private collections. Their texts are transient data, which no block contains. */
class Notes extends Contract {
  async Put({ stub }, collection, key) {
    const text = stub.getTransient().get('text');
    if (text === undefined) throw new Error('the transient data have no text');
    await stub.putPrivateData(collection, key, text);
  }

  async Get({ stub }, collection, key) {
    return Buffer.from(await stub.getPrivateData(collection, key)).toString();
  }

  async Hash({ stub }, collection, key) {
    return Buffer.from(await stub.getPrivateDataHash(collection, key)).toString('hex');
  }

  async Delete({ stub }, collection, key) {
    await stub.deletePrivateData(collection, key);
  }

  async Purge({ stub }, collection, key) {
    await stub.purgePrivateData(collection, key);
  }
}

module.exports.contracts = [Notes];
