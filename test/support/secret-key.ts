/** One for the server and for the commands beside it, or neither could open what the other has sealed. */
export const TEST_SECRET_KEY = 'a secret key for tests only, 32 characters or more'
