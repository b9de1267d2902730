/**
 * Something the operator has to put right before Nexkit can run. The message says what is wrong and what to do;
 * the command line prints it without a stack and exits with 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
