/** A chaincode that could not be started, with the end of what it wrote. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}
